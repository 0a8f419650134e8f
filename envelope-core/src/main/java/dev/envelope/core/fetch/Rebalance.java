package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.assignment.Assignment;
import dev.envelope.core.assignment.Positioning;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.Committer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when the group gives and takes partitions. Assigned, revoked and lost are three
 * different events; each names only the partitions that it is about.
 *
 * <p>Threads: poll thread only, inside {@code poll()} and {@code close()} of the client. The
 * callbacks wait no longer than one deadline; that they never throw is seen to by {@link
 * Callbacks}.
 */
final class Rebalance implements ConsumerRebalanceListener {

    private static final Logger log = LoggerFactory.getLogger(Rebalance.class);

    private final Assignment assignment;
    private final Positioning positioning;
    private final Drain drain;
    private final Committer committer;
    private final Ticker ticker;
    private final Duration deadline;
    private final Telemetry telemetry;
    private boolean joined;

    Rebalance(
            Assignment assignment,
            Positioning positioning,
            Drain drain,
            Committer committer,
            Ticker ticker,
            Duration deadline,
            Telemetry telemetry) {
        this.assignment = assignment;
        this.positioning = positioning;
        this.drain = drain;
        this.committer = committer;
        this.ticker = ticker;
        this.deadline = deadline;
        this.telemetry = telemetry;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        joined = true;
        telemetry.rebalanced("assigned", assigned.size());
        log.info("assigned {}", assigned);
        positioning.begin(assigned);
    }

    /** Stop admission, drain what is being saved, checkpoint, commit, forget. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        telemetry.rebalanced("revoked", revoked.size());
        log.info("revoked {}", revoked);
        long begun = ticker.nanoTime();
        long until = begun + deadline.toNanos();
        List<Commitment> leaving = assignment.commitments(revoked);
        // A third of the time is kept for writing down what was saved until then.
        if (!drain.closeAndAwaitTurns(leaving, until - deadline.toNanos() / 3)) {
            log.warn("not all that was under way of {} was saved; it will be read again", revoked);
        }
        committer.commitNow(leaving, until, () -> {}); // a group refuses it where they are lost
        assignment.forget(revoked);
        telemetry.drained(ticker.nanoTime() - begun);
    }

    /** Somebody else has them already: no commit, whatever was saved. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        telemetry.rebalanced("lost", lost.size());
        log.warn("lost {}: others may have them, since this process did not answer", lost);
        assignment.forget(lost);
        drain.tellShards();
    }

    /** Whether the group has given this process its part, be it none. */
    boolean hasJoined() {
        return joined;
    }
}
