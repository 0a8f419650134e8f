package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which timers the handler sets and ends for a message: that depends on the place and the time of
 * the message alone, and on whether it is a firing itself.
 */
final class TimerRule {

    /** A producer's clock jumps by this much, which the handler leaves out. */
    static final long JUMP_MILLIS = 3_600_000;

    private static final int NAMES = 3;
    private static final int LONGEST_MILLIS = 3_000;

    private TimerRule() {}

    /**
     * What is done to one timer.
     *
     * @param dueAt when it is set to; null if it is ended
     * @param payload names the message that sets it, and the number of this among what it does
     */
    record Op(String name, @Nullable Instant dueAt, String payload) {

        byte[] payloadBytes() {
            return payload.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** What is done for this message. */
    static List<Op> ops(Message message, boolean isFiring) {
        boolean isTombstone = message.value() == null;
        return ops(Trace.place(message), message.timestampMillis(), isFiring, isTombstone);
    }

    /** What is done for the message at this place. */
    static List<Op> ops(SimRecord record) {
        return ops(
                record.place(),
                record.record().timestamp(),
                record.isFiring(),
                record.isTombstone());
    }

    private static List<Op> ops(
            String place, long timestamp, boolean isFiring, boolean isTombstone) {
        int drawn = (place.hashCode() * 0x85EBCA6B) >>> 8;
        int kind = drawn % (isFiring ? 16 : 12);
        List<Op> ops = new ArrayList<>(2);
        if (!isTombstone && kind < 4) {
            boolean sets = kind < 3;
            ops.add(op(place, 1, drawn / 16, sets, timestamp));
            if (kind == 2) {
                ops.add(op(place, 2, drawn / 64, true, timestamp));
            }
        }
        return ops;
    }

    private static Op op(String place, int number, int drawn, boolean sets, long timestamp) {
        String name = "t" + drawn % NAMES;
        return new Op(
                name, sets ? dueAt(drawn / NAMES, timestamp) : null, "v" + place + '#' + number);
    }

    /** Mostly in some seconds; one in 16 is overdue, one in 16 is not due in any seed. */
    private static Instant dueAt(int drawn, long timestamp) {
        long now = Math.floorMod(timestamp - Producers.BEGINNING_MILLIS, JUMP_MILLIS);
        long in =
                switch (drawn % 16) {
                    case 0 -> -1_000;
                    case 1 -> JUMP_MILLIS;
                    default -> drawn / 16 % LONGEST_MILLIS;
                };
        return Instant.ofEpochMilli(Math.max(0, now + in));
    }
}
