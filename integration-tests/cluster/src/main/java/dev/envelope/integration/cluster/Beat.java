package dev.envelope.integration.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Numbers of a process in a mapped file: they can be read while it runs, and still stand there when
 * it was killed. Some are orders to it, which others write.
 *
 * <p>Threads: thread-safe (atomic access to each number).
 */
public final class Beat {

    /** What is counted. */
    public enum Count {
        /** Partitions that it has. */
        PARTITIONS(0),
        /** Records fetched and not yet durable, as the poll thread last said. */
        UNACKED(1),
        /** Messages in turns that have not ended. */
        IN_TURN(2),
        /** Messages whose effect was found to be there. */
        DUPLICATES(3),
        /** Rows written. */
        SAVED_ROWS(4),
        /** Messages whose effect these added. */
        SAVED_MESSAGES(5),
        /** Rows found to have moved on. */
        CONFLICTS(6),
        /** Attempts that failed. */
        FAILED_ATTEMPTS(7),
        /** Times that the group gave or took partitions. */
        REBALANCES(8),
        PARKED(9),
        /** 1 once it has closed in good order with everything saved. */
        CLOSED_COMPLETE(10),
        /** An order to it: end at the aim of this number; 0 is none. */
        ARMED_AIM(11),
        /** An order to it: how often that aim has to come up. */
        ARMED_OCCASIONS(12),
        /** An order to it: 1 while its handler is to fail. */
        FAILING(13),
        /** An order to it: take the measures below, for so many times now. */
        MEASURES_ASKED(14),
        /** How often it has. */
        MEASURES_TAKEN(15),
        /** Bytes that live on its heap, after a collection. */
        HEAP_BYTES(16),
        THREADS(17),
        /** Files, pipes and sockets that it holds open. */
        OPEN_FILES(18);

        private final int slot;

        Count(int slot) {
            this.slot = slot;
        }

        private int at() {
            return slot * Long.BYTES;
        }
    }

    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer numbers;

    private Beat(ByteBuffer numbers) {
        this.numbers = numbers;
    }

    /** Opens the file, made where it is not there yet. */
    public static Beat open(Path file) {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            long size = (long) Count.values().length * Long.BYTES;
            return new Beat(channel.map(FileChannel.MapMode.READ_WRITE, 0, size));
        } catch (IOException e) {
            throw new UncheckedIOException("no beat at " + file, e);
        }
    }

    public long get(Count count) {
        return (long) LONG.getVolatile(numbers, count.at());
    }

    void set(Count count, long value) {
        LONG.setVolatile(numbers, count.at(), value);
    }

    void add(Count count, long delta) {
        long unused = (long) LONG.getAndAdd(numbers, count.at(), delta);
    }

    /** Whether a process that ends now leaves work that is not durable. */
    public boolean hasWorkInFlight() {
        return get(Count.UNACKED) > 0 || get(Count.IN_TURN) > 0;
    }
}
