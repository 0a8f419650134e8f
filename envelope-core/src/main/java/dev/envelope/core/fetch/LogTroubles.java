package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.Words;
import dev.envelope.core.fetch.AssignedPartition.Finding;
import dev.envelope.core.fetch.AssignedPartition.Finishing;
import dev.envelope.core.fetch.AssignedPartition.Flowing;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.Committer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of partitions that the client can't go on with where they are. A log that was
 * truncated or can't be read stops its partition. A position that is not in the log any more is
 * found anew, but only when what was read has been saved and checkpointed: it is not in the log
 * either, and would be counted with the gap.
 *
 * <p>Threads: poll thread only.
 */
final class LogTroubles {

    private static final Logger log = LoggerFactory.getLogger(LogTroubles.class);

    /** How long what was read may take to be saved; nothing waits for it meanwhile. */
    private static final Duration FINISH_WITHIN = Duration.ofSeconds(10);

    private final Assignment assignment;
    private final Positioning positioning;
    private final Committer committer;
    private final Ticker ticker;

    LogTroubles(
            Assignment assignment, Positioning positioning, Committer committer, Ticker ticker) {
        this.assignment = assignment;
        this.positioning = positioning;
        this.committer = committer;
        this.ticker = ticker;
    }

    /** The log holds other records than those that were applied, from this offset on. */
    void truncated(TopicPartition partition, long offset) {
        stop(
                partition,
                "the log was truncated and written anew from offset "
                        + offset
                        + " on: what was applied is not what it holds");
    }

    /** What comes at this offset can't be read. */
    void unreadable(TopicPartition partition, long offset, KafkaException failure) {
        @Nullable Throwable cause = failure.getCause();
        stop(
                partition,
                "the client can't read what comes at offset "
                        + offset
                        + ": "
                        + Words.describe(failure)
                        + (cause == null ? "" : ", caused by " + Words.describe(cause))
                        + ". Mend the log, or move the group's commit behind it and set"
                        + " on.offset.ahead=follow to skip it, and start again");
    }

    /** The same of the partition that was found to be the culprit, where it stands. */
    void unreadable(AssignedPartition culprit, KafkaException failure) {
        long offset = culprit.commitment().map(it -> it.ledger().position().offset()).orElse(0L);
        unreadable(culprit.partition(), offset, failure);
    }

    private void stop(TopicPartition partition, String reason) {
        assignment.get(partition).ifPresent(it -> positioning.stopAside(it, reason));
    }

    /**
     * The position is not in the log: the finder sees why, and whether there is a policy for it.
     */
    void notInLog(Collection<TopicPartition> partitions) {
        log.warn("positions of {} are not in the log any more", partitions);
        List<TopicPartition> anew = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            Optional<AssignedPartition> assigned = assignment.get(partition);
            if (assigned.isEmpty() || assigned.get().phase() instanceof Finding) {
                anew.add(partition); // nothing of it was read
            } else {
                positioning.setAside(assigned.get());
                finish(assigned.get());
            }
        }
        if (!anew.isEmpty()) {
            positioning.beginAnew(anew);
        }
    }

    private void finish(AssignedPartition assigned) {
        if (assigned.phase() instanceof Flowing flowing) {
            long deadline = ticker.nanoTime() + FINISH_WITHIN.toNanos();
            assigned.become(new Finishing(flowing.commitment(), deadline));
        }
    }

    /** Positions anew whom nothing is left to wait for. */
    void turn() {
        List<TopicPartition> anew = new ArrayList<>();
        for (AssignedPartition assigned : assignment.all()) {
            if (assigned.phase() instanceof Finishing finishing && isOver(finishing)) {
                anew.add(assigned.partition());
            }
        }
        if (!anew.isEmpty()) {
            positioning.beginAnew(anew);
        }
    }

    private boolean isOver(Finishing finishing) {
        Commitment commitment = finishing.commitment();
        boolean isSaved = commitment.ledger().isEmpty();
        if (isSaved && commitment.isCheckpointed()) {
            return true;
        }
        if (ticker.nanoTime() - finishing.deadline() >= 0) {
            log.warn(
                    "{} records of {} were read and not saved in time; those that are not in the"
                            + " log any more count as gone",
                    commitment.ledger().unacked(),
                    commitment.epoch().partition());
            return true;
        }
        if (isSaved) {
            committer.hurry();
        }
        return false;
    }
}
