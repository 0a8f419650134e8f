package dev.envelope.idempotency.limit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.atomic.LongAdder;

/**
 * The share of a partition's recent messages that have failed for good: a fixed number of the last
 * failures, compared with all messages in the same stretch. Fewer failures than that never count,
 * so a few bad messages in a quiet night do not stop a partition.
 *
 * <p>Threads: {@link #passed} from any thread (an adder); the rest is guarded by this.
 */
final class FailingShare {

    private final int percent;
    private final LongAdder passed = new LongAdder();

    @GuardedBy("this")
    private final long[]
            messagesAtFailure; // a ring: the messages counted at each of the last failures

    /** Messages before the failures that the ring knows; zero until it is full. */
    @GuardedBy("this")
    private long before;

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
        before = messagesAtFailure[place];
        messagesAtFailure[place] = passed.sum() + ++failures;
    }

    /**
     * The reason to stop; empty while the share is not too high. What has passed since the last
     * failure counts, too: a burst of long ago does not stop a partition at the next failure.
     */
    synchronized String tooHigh() {
        int least = messagesAtFailure.length;
        long stretch = passed.sum() + failures - before;
        if (failures < least || 100L * least <= percent * stretch) {
            return "";
        }
        return least
                + " of the last "
                + stretch
                + " messages have failed for good, more than on.failure.stop.share="
                + percent
                + " percent";
    }
}
