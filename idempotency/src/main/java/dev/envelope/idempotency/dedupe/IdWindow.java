package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.InvariantViolation;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The recent event ids of a key, in order of arrival.
 *
 * <p>It is read from the row, gets the ids of the messages that are folded, and is written back. If
 * the save fails, it is dropped and read again.
 *
 * <p>What it forgets depends on the messages alone, not on a clock or on how they were divided into
 * envelopes, so a replay years later gives the same result. If an age is set, adding an id removes
 * those that are older than the row's time by more than the age. The row's time is the lower median
 * of the timestamps in the window, so a single timestamp from the future does not move it past the
 * others.
 *
 * <p>Its form in the row: a version byte, then for each id its 16 bytes and the difference of its
 * timestamp to the one before, as a zigzag varint.
 *
 * <p>Threads: actor, one at a time.
 */
public final class IdWindow {

    private static final byte VERSION = 1;
    private static final int MAX_ENTRY_BYTES = IdHash.BYTES + 10;
    private static final long NO_AGE = Long.MAX_VALUE;

    private final int maxCount;
    private final long maxAgeMillis;
    private final IdRing ring;
    private final SortedTimes times = new SortedTimes();

    private IdWindow(IdLimits limits, int expected) {
        maxCount = limits.count();
        maxAgeMillis = limits.age() == null ? NO_AGE : limits.age().toMillis();
        ring = new IdRing(expected);
    }

    /** Reads a window from a row's column; null is an empty window. */
    public static IdWindow read(byte @Nullable [] row, IdLimits limits) {
        if (row == null) {
            return new IdWindow(limits, 0);
        }
        if (row.length == 0 || row[0] != VERSION) {
            throw new InvariantViolation(
                    "a window of event ids in a form that this release does not know");
        }
        IdWindow window = new IdWindow(limits, row.length / (IdHash.BYTES + 1));
        ByteBuffer in = ByteBuffer.wrap(row, 1, row.length - 1);
        long time = 0;
        try {
            while (in.hasRemaining()) {
                IdHash id = new IdHash(in.getLong(), in.getLong());
                time += readZigzag(in);
                window.append(id, time);
            }
        } catch (BufferUnderflowException e) {
            throw new InvariantViolation("a window of event ids that is cut short", e);
        }
        return window;
    }

    /** Whether the window has the id, so that its message is a duplicate. */
    public boolean contains(IdHash id) {
        return ring.contains(id);
    }

    /**
     * Adds an id and removes what exceeds the limits: first by age, then by count. An id that is
     * there already changes nothing.
     *
     * @param timestampMillis of its record; a negative one means none and counts as the row's time
     */
    public void add(IdHash id, long timestampMillis) {
        if (ring.contains(id)) {
            return;
        }
        append(id, timestampMillis >= 0 ? timestampMillis : ring.isEmpty() ? 0 : rowTime());
        if (maxAgeMillis != NO_AGE) {
            long oldest = rowTime() - maxAgeMillis;
            if (times.first() < oldest) {
                ring.removeOlder(oldest, times);
            }
        }
        while (ring.size() > maxCount) {
            times.remove(ring.removeFirst());
        }
    }

    public int size() {
        return ring.size();
    }

    /** The form for the row; null for an empty window. */
    public byte @Nullable [] write() {
        if (ring.isEmpty()) {
            return null;
        }
        ByteBuffer out = ByteBuffer.allocate(1 + ring.size() * MAX_ENTRY_BYTES);
        out.put(VERSION);
        long[] before = {0};
        ring.forEach(
                (high, low, time) -> {
                    out.putLong(high).putLong(low);
                    writeZigzag(out, time - before[0]);
                    before[0] = time;
                });
        return Arrays.copyOf(out.array(), out.position());
    }

    private void append(IdHash id, long time) {
        ring.add(id, time);
        times.add(time);
    }

    private long rowTime() {
        return times.lowerMedian();
    }

    private static void writeZigzag(ByteBuffer out, long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7FL) != 0) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    private static long readZigzag(ByteBuffer in) {
        long rest = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = in.get();
            rest |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return (rest >>> 1) ^ -(rest & 1);
            }
        }
        throw new InvariantViolation("a window of event ids with a number that does not end");
    }
}
