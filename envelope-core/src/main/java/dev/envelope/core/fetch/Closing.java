package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.Words;
import dev.envelope.core.assignment.Assignment;
import dev.envelope.core.membership.Membership;
import dev.envelope.core.offset.Committer;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the loop: fetch no more, go on turning until all that was fetched is saved or the
 * deadline comes, write down how far it went.
 *
 * <p>Threads: poll thread only.
 */
final class Closing {

    private static final Logger log = LoggerFactory.getLogger(Closing.class);
    private static final Duration LAST_COMMIT = Duration.ofSeconds(5);

    private final Assignment assignment;
    private final FlowControl flow;
    private final Drain drain;
    private final Membership membership;
    private final Committer committer;
    private final Ticker ticker;
    private long deadline = Long.MAX_VALUE;
    private boolean asked;
    private boolean complete;

    Closing(
            Assignment assignment,
            FlowControl flow,
            Drain drain,
            Membership membership,
            Committer committer,
            Ticker ticker) {
        this.assignment = assignment;
        this.flow = flow;
        this.drain = drain;
        this.membership = membership;
        this.committer = committer;
        this.ticker = ticker;
    }

    void begin(Duration drainTime) {
        if (!asked) {
            asked = true;
            deadline = ticker.nanoTime() + drainTime.toNanos();
            flow.close();
        }
    }

    boolean isAsked() {
        return asked;
    }

    /** Whether there is nothing left to wait for. */
    boolean isDue() {
        return asked && (isDrained() || ticker.nanoTime() >= deadline);
    }

    private boolean isDrained() {
        boolean allAcked = assignment.commitments().stream().allMatch(it -> it.ledger().isEmpty());
        // Quiet, and yet unacked: keys that have failed. They are read again.
        return allAcked || drain.isQuiet();
    }

    /** Writes down how far it went, and ends every epoch. */
    void finish() {
        long until = Math.max(deadline, ticker.nanoTime()) + LAST_COMMIT.toNanos();
        drain.closeAndAwaitTurns(assignment.commitments(), Math.max(deadline, ticker.nanoTime()));
        long unacked =
                assignment.commitments().stream().mapToLong(it -> it.ledger().unacked()).sum();
        complete = unacked == 0;
        membership.look(); // what was lost meanwhile is not ours to commit
        if (!complete) {
            log.warn(
                    "closing with {} not saved, to be read again", Words.count(unacked, "message"));
        }
        committer.commitNow(assignment.commitments(), until, membership::look);
        assignment.forgetAll();
    }

    /** Whether everything that was fetched had been saved at the end. */
    boolean wasComplete() {
        return complete;
    }
}
