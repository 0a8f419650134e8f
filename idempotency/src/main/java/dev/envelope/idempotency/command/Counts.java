package dev.envelope.idempotency.command;

import java.util.concurrent.atomic.LongAdder;

/**
 * What calls have come to since the start.
 *
 * <p>Threads: thread-safe (adders).
 */
final class Counts {

    private final LongAdder produced = new LongAdder();
    private final LongAdder settled = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final LongAdder timeOver = new LongAdder();
    private final LongAdder busy = new LongAdder();

    void produced() {
        produced.increment();
    }

    void add(Outcome outcome) {
        if (outcome instanceof Outcome.Settled its) {
            settled.increment();
            repeated.add(its.isRepeated() ? 1 : 0);
        } else if (outcome instanceof Outcome.TimeOver) {
            timeOver.increment();
        } else if (outcome instanceof Outcome.Busy || outcome instanceof Outcome.Unknown) {
            busy.increment();
        }
    }

    Commands.Status with(Room room) {
        return new Commands.Status(
                room.waiting(),
                room.bytes(),
                produced.sum(),
                settled.sum(),
                repeated.sum(),
                timeOver.sum(),
                busy.sum());
    }
}
