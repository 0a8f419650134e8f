package dev.envelope.integration.stack.proxy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Puts together, out of pieces of any size, frames that say in their head how long they are.
 *
 * <p>Threads: one thread.
 */
final class Frames {

    /**
     * Where the length stands in a frame, and what it does not count.
     *
     * @param lengthAt how many bytes there are before the four of the length
     * @param uncounted how many bytes the frame has more than its length says
     */
    record Layout(int lengthAt, int uncounted) {

        /** How many bytes have to be there before the length is known. */
        int head() {
            return lengthAt + Integer.BYTES;
        }

        /** The whole frame's length, out of its head. */
        int length(ByteBuffer head) {
            return uncounted + head.getInt(lengthAt);
        }
    }

    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

    /** Hands out each frame that is complete by now; the layout is asked anew for each. */
    void read(byte[] piece, int length, Supplier<Layout> layout, Consumer<ByteBuffer> reader) {
        waiting.write(piece, 0, length);
        ByteBuffer bytes = ByteBuffer.wrap(waiting.toByteArray());
        boolean complete = true;
        while (complete) {
            Layout now = layout.get();
            complete = bytes.remaining() >= now.head();
            if (complete) {
                int frame = now.length(bytes.slice());
                complete = bytes.remaining() >= frame;
                if (complete) {
                    reader.accept(bytes.slice(bytes.position(), frame));
                    bytes.position(bytes.position() + frame);
                }
            }
        }
        waiting.reset();
        waiting.write(bytes.array(), bytes.position(), bytes.remaining());
    }
}
