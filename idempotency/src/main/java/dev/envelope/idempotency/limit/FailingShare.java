package dev.envelope.idempotency.limit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many of a partition's recent messages have failed for good: the last so many failures are
 * held against all messages that came meanwhile. So a few bad messages in a quiet night are not
 * many, whatever their share.
 *
 * <p>Threads: {@link #passed} by anybody (an adder); the rest is guarded by this.
 */
final class FailingShare {

    private final int percent;
    private final LongAdder passed = new LongAdder();
    private volatile String tooHigh = "";

    @GuardedBy("this")
    private final long[] messagesAtFailure; // a ring of the last failures

    @GuardedBy("this")
    private long failures;

    FailingShare(int percent, int least) {
        this.percent = percent;
        this.messagesAtFailure = new long[least];
    }

    void passed(int messages) {
        passed.add(messages);
    }

    synchronized void failed() {
        int place = (int) (failures % messagesAtFailure.length);
        long before = messagesAtFailure[place];
        long messages = passed.sum() + ++failures;
        messagesAtFailure[place] = messages;
        int least = messagesAtFailure.length;
        // Before the ring is full for the first time, "before" is the beginning, which is zero.
        long stretch = messages - before;
        if (failures >= least && 100L * least > percent * stretch) {
            tooHigh =
                    least
                            + " of the last "
                            + stretch
                            + " messages have failed for good, more than on.failure.stop.share="
                            + percent
                            + " percent";
        }
    }

    /** What to say of it; empty as long as it is not too high. */
    String tooHigh() {
        return tooHigh;
    }
}
