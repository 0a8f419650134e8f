package dev.envelope.app.gateway;

import dev.envelope.app.http.Refused;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The body of a request, read as it arrives.
 *
 * <p>Threads: one at a time, as Jetty calls it; an atomic flag decides between the last bytes and
 * the end of the time.
 */
final class Body {

    /**
     * How large bodies may be.
     *
     * @param most bytes of one
     * @param arriving counts those of all that are being read
     */
    record Limits(int most, Space arriving) {}

    private final Request request;
    private final Limits limits;
    private final long reserved;
    private final Consumer<byte[]> whole;
    private final Consumer<Refused> refused;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final ByteArrayOutputStream bytes;
    private final Scheduler.Task end;

    private Body(
            Exchange exchange,
            Limits limits,
            int reserved,
            Consumer<byte[]> whole,
            Consumer<Refused> refused) {
        this.request = exchange.request();
        this.limits = limits;
        this.reserved = reserved;
        this.whole = whole;
        this.refused = refused;
        this.bytes = new ByteArrayOutputStream(request.getLength() < 0 ? 1_024 : reserved);
        this.end = exchange.after(Exchange.time(reserved), () -> over(tooSlow()));
    }

    private static Refused tooSlow() {
        return new Refused(408, "the body arrives too slowly");
    }

    /**
     * Reads it.
     *
     * @param whole takes it; called on a thread of Jetty's
     * @param refused called instead, if the body is not accepted; the rest is not read
     */
    static void read(
            Exchange exchange, Limits limits, Consumer<byte[]> whole, Consumer<Refused> refused) {
        long length = exchange.request().getLength();
        int reserved = (int) Math.min(length < 0 ? limits.most : length, limits.most);
        if (length > limits.most) {
            refused.accept(tooLarge(limits));
        } else if (!limits.arriving.take(reserved)) {
            refused.accept(new Refused(503, "too many bytes are arriving at a time"));
        } else {
            new Body(exchange, limits, reserved, whole, refused).go();
        }
    }

    private static Refused tooLarge(Limits limits) {
        return new Refused(413, "a body has at most " + limits.most + " bytes (gateway.max.body)");
    }

    private void go() {
        while (!isOver.get()) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(this::go);
                return;
            } else if (Content.Chunk.isFailure(chunk)) {
                over(new Refused(400, "the body can't be read"));
                return;
            }
            take(chunk);
        }
    }

    private void take(Content.Chunk chunk) {
        ByteBuffer buffer = chunk.getByteBuffer();
        boolean isTooLarge = bytes.size() + buffer.remaining() > limits.most;
        if (!isTooLarge) {
            byte[] part = new byte[buffer.remaining()];
            buffer.get(part);
            bytes.writeBytes(part);
        }
        boolean isLast = chunk.isLast();
        chunk.release();
        if (isTooLarge) {
            over(tooLarge(limits));
        } else if (isLast && ends()) {
            try {
                whole.accept(bytes.toByteArray());
            } finally {
                limits.arriving.free(reserved);
            }
        }
    }

    private void over(Refused why) {
        if (ends()) {
            limits.arriving.free(reserved);
            refused.accept(why);
        }
    }

    private boolean ends() {
        end.cancel();
        return isOver.compareAndSet(false, true);
    }
}
