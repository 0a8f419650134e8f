package dev.envelope.core.guard;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.Words;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Finding;
import dev.envelope.core.assignment.AssignedPartition.Finishing;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.Positioning;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.Committer;
import dev.envelope.core.position.Divergence;
import dev.envelope.core.position.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of partitions that the client can't go on with where they are. A log that can't be
 * read stops its partition. Where the log is not what it was, the position is found anew, which
 * looks first whether it is still the same topic. Before that, what was read is saved and
 * checkpointed: it is not in the log any more, and would be counted with a gap. But what was read
 * of a topic that may be another is dropped, for it may be read again under its own name.
 *
 * <p>Threads: poll thread only.
 */
final class LogTroubles {

    private static final Logger log = LoggerFactory.getLogger(LogTroubles.class);

    /** How long what was read may take to be saved; nothing waits for it meanwhile. */
    private static final Duration FINISH_WITHIN = Duration.ofSeconds(10);

    private final Assigned assignment;
    private final Positioning positioning;
    private final Committer committer;
    private final Ticker ticker;

    LogTroubles(Assigned assignment, Positioning positioning, Committer committer, Ticker ticker) {
        this.assignment = assignment;
        this.positioning = positioning;
        this.committer = committer;
        this.ticker = ticker;
    }

    /** Logs hold other records than those that were read; it says from where on, where it can. */
    void truncated(LogTruncationException truncation) {
        Map<TopicPartition, OffsetAndMetadata> cuts = truncation.divergentOffsets();
        cuts.forEach((partition, cut) -> truncated(partition, NextOffset.of(cut)));
        Set<TopicPartition> others =
                new HashSet<>(truncation.offsetOutOfRangePartitions().keySet());
        others.removeAll(cuts.keySet());
        if (!others.isEmpty()) {
            notInLog(others);
        }
    }

    private void truncated(TopicPartition partition, NextOffset cut) {
        log.warn("the log of {} is another one than was read, from {} on", partition, cut);
        findAnew(Set.of(partition), Optional.of(cut), true);
    }

    /** A record was written under an earlier leader epoch than those before it: another log. */
    void rewritten(AssignedPartition partition, int leaderEpoch) {
        log.warn(
                "{} brings a record of leader epoch {} after {}: it is another log",
                partition.partition(),
                leaderEpoch,
                partition.commitment().map(it -> it.ledger().position()));
        findAnew(Set.of(partition.partition()), Optional.empty(), true);
    }

    /** The topics of these partitions have other ids than they were read under. */
    void recreated(List<AssignedPartition> partitions) {
        Map<String, Long> inDoubt = new TreeMap<>();
        for (AssignedPartition partition : partitions) {
            inDoubt.merge(partition.partition().topic(), partition.inDoubt(), Long::sum);
        }
        inDoubt.forEach(
                (topic, records) ->
                        log.warn(
                                "topic {} has another id: it was deleted and created again, or is in"
                                        + " another cluster. {} records were read since its id was"
                                        + " last confirmed; they may be of either",
                                topic,
                                records));
        positioning.beginAnew(partitions.stream().map(AssignedPartition::partition).toList());
    }

    /** What comes at this offset can't be read. */
    void unreadable(TopicPartition partition, long offset, KafkaException failure) {
        stop(
                partition,
                "the client can't read what comes at offset "
                        + offset
                        + ": "
                        + Words.describeWithCause(failure)
                        + ". Mend the log, or move the group's commit behind it and set"
                        + " on.offset.ahead=follow to skip it, and start again");
    }

    /** The same of the partition that was found to be at fault, where it stands. */
    void unreadable(AssignedPartition partition, KafkaException failure) {
        long offset = partition.commitment().map(it -> it.ledger().position().offset()).orElse(0L);
        unreadable(partition.partition(), offset, failure);
    }

    private void stop(TopicPartition partition, String reason) {
        assignment.get(partition).ifPresent(it -> positioning.stopAside(it, reason));
    }

    /**
     * The position is not in the log: the finder sees why, and whether there is a policy for it.
     */
    void notInLog(Collection<TopicPartition> partitions) {
        log.warn("positions of {} are not in the log any more", partitions);
        findAnew(partitions, Optional.empty(), false);
    }

    private void findAnew(
            Collection<TopicPartition> partitions, Optional<NextOffset> cut, boolean diverged) {
        List<AssignedPartition> anew = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            Optional<AssignedPartition> assigned = assignment.get(partition);
            if (assigned.isEmpty()) {
                continue; // the client tells of what it saw before the partition was revoked
            }
            if (assigned.get().phase() instanceof Finding) {
                // Nothing of it was read since; what was seen before still holds.
                anew.add(assigned.get().anew());
            } else {
                positioning.setAside(assigned.get());
                Optional<Position.Found> found = assigned.get().found().filter(it -> diverged);
                finish(
                        assigned.get(),
                        found.map(it -> new Divergence(it.source(), it.topicId(), cut)));
            }
        }
        if (!anew.isEmpty()) {
            positioning.beginAnewWith(anew);
        }
    }

    private void finish(AssignedPartition assigned, Optional<Divergence> diverged) {
        if (assigned.phase() instanceof Flowing flowing) {
            long deadline = ticker.nanoTime() + FINISH_WITHIN.toNanos();
            assigned.become(new Finishing(flowing.commitment(), deadline, diverged));
        }
    }

    /** Positions those anew that have nothing left to wait for. */
    void turn() {
        List<AssignedPartition> anew = new ArrayList<>();
        for (AssignedPartition assigned : assignment.all()) {
            if (assigned.phase() instanceof Finishing finishing && isOver(finishing)) {
                anew.add(assigned.anew());
            }
        }
        if (!anew.isEmpty()) {
            positioning.beginAnewWith(anew);
        }
    }

    /** What is still in the log below a cut is never read again: it has no deadline. */
    private static boolean isBelowCut(Finishing finishing) {
        long checkpointed = finishing.commitment().checkpointed().offset();
        return finishing
                .diverged()
                .flatMap(Divergence::cut)
                .filter(cut -> checkpointed < cut.offset())
                .isPresent();
    }

    private boolean isOver(Finishing finishing) {
        Commitment commitment = finishing.commitment();
        boolean isSaved = commitment.ledger().isEmpty();
        if (isSaved && commitment.isCheckpointed()) {
            return true;
        }
        if (ticker.nanoTime() - finishing.deadline() >= 0 && !isBelowCut(finishing)) {
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
