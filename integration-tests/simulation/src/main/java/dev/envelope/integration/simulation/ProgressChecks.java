package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What a checkpoint and a commit promise: that everything below is done with, durably (I1, I2), and
 * that one commit is under way at a time (I9).
 *
 * <p>Threads: one thread.
 */
final class ProgressChecks {

    private record Of(String process, TopicPartition partition) {}

    private static final NextOffset BEGINNING = new NextOffset(0, NextOffset.NO_EPOCH);

    private final World world;
    private final Map<Of, NextOffset> checkpointed = new HashMap<>();
    private final Map<Integer, Long> verified = new HashMap<>(); // by source
    private final Set<String> committing = new HashSet<>(); // by process

    ProgressChecks(World world) {
        this.world = world;
    }

    /** Rows or logs are not what they were: what was looked at does not count any more. */
    void lookAgain() {
        verified.clear();
    }

    void checkpointed(SimInstance process, Source source, NextOffset next) {
        checkDone(process.name(), source, onItsBranch(next, source.checkpoint()));
        checkpointed.merge(
                new Of(process.name(), source.partition()),
                next,
                (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    /** What the database has promised already says which branch a lower place is of. */
    private static NextOffset onItsBranch(NextOffset next, NextOffset stored) {
        boolean isPromised = next.leaderEpoch() < 0 && next.compareTo(stored) <= 0;
        return isPromised ? new NextOffset(next.offset(), stored.leaderEpoch()) : next;
    }

    private void checkDone(String who, Source source, NextOffset next) {
        if (world.doubts().isOfSource(source.number())
                || world.doubts().isOfFormer(source.number())) {
            return;
        }
        SimPartition log = world.log().of(source.partition(), source.topicId());
        long from = verified.getOrDefault(source.number(), source.start().offset());
        List<SimRecord> promised =
                log.below(next).stream().filter(it -> it.offset() >= from).toList();
        if (!promised.isEmpty()) {
            Map<String, Snapshot> rows = world.database().rows();
            Set<String> setAside = new HashSet<>(RowChecks.places(world.database().parked()));
            setAside.addAll(RowChecks.placesOfDeadLetters(world.database().outbox()));
            for (SimRecord record : promised) {
                if (!isDone(record, source, log, rows, setAside)) {
                    world.checks()
                            .fail(
                                    "commit-ahead",
                                    who + " says " + next + ", and not done is " + record);
                }
            }
        }
        if (!log.wasTruncated()) {
            verified.merge(source.number(), next.offset(), Math::max);
        }
    }

    private boolean isDone(
            SimRecord record,
            Source source,
            SimPartition log,
            Map<String, Snapshot> rows,
            Set<String> setAside) {
        if (world.losses().mayMiss(record.place())) {
            return true;
        }
        String key = record.key();
        if (key == null) {
            return setAside.contains(record.place())
                    || world.checks().outbox().hasArrived(record.place())
                    || world.checks().repairs().isDropped(record.place());
        }
        String rowKey = world.settings().rowKey(record.record().topic(), key);
        Map<Integer, NextOffset> marks =
                world.checks().purges().wider(rowKey, RowChecks.marks(rows.get(rowKey)));
        NextOffset mark = marks.get(source.number());
        boolean isPassed =
                mark != null
                        && mark.offset() > record.offset()
                        && (mark.leaderEpoch() >= record.leaderEpoch() || mark.leaderEpoch() < 0);
        return isPassed
                || world.checks()
                        .rows()
                        .passedUnderFormer(source, log, key, marks)
                        .contains(record.place());
    }

    /**
     * I1: no commit is ahead of a checkpoint of this very log that the same process has written.
     */
    void committed(SimInstance process, TopicPartition partition, OffsetAndMetadata next) {
        NextOffset offset =
                new NextOffset(next.offset(), next.leaderEpoch().orElse(NextOffset.NO_EPOCH));
        NextOffset known = checkpointed.get(new Of(process.name(), partition));
        if (known == null || offset.compareTo(known) > 0) {
            world.checks()
                    .fail(
                            "commit-ahead",
                            process.name() + " commits " + offset + ", checkpointed " + known);
        }
    }

    /** A process sends a commit. */
    void commitBegins(SimInstance process, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!committing.add(process.name())) {
            world.checks().fail("I9", process.name() + " commits twice at once, " + offsets);
        }
    }

    void commitEnds(SimInstance process) {
        committing.remove(process.name());
    }

    /**
     * Whether all of this log is checkpointed, in the database as it is now, and committed. What is
     * said of more than there is, was said before the log was truncated.
     */
    boolean isCaughtUp(SimPartition log) {
        long end = log.end().offset();
        List<Source> generations = generationsOf(log);
        NextOffset commit =
                world.log()
                        .commit(log.name())
                        .filter(it -> isOf(it, generations))
                        .map(Commit::next)
                        .orElse(BEGINNING);
        boolean isEmpty = end == 0; // then what is committed is of the log that was there before
        if (!isEmpty && commit.leaderEpoch() >= 0 && commit.leaderEpoch() < log.epochOf(end - 1)) {
            return false;
        }
        long committed = isEmpty ? 0 : commit.offset();
        long checkpointed =
                generations.isEmpty()
                        ? 0
                        : generations.get(generations.size() - 1).checkpoint().offset();
        return committed == end && checkpointed == end;
    }

    /** Its stamp names the source; it may be of a topic that was there before. */
    private static boolean isOf(Commit commit, List<Source> generations) {
        String[] stamp = commit.metadata().split("/", -1);
        String source = stamp[stamp.length - 1];
        return source.isEmpty()
                || generations.stream().anyMatch(it -> source.equals("" + it.number()));
    }

    /** At the end: nothing that there is was left out, in whatever generation it was applied. */
    void atTheEnd(SimPartition log) {
        NextOffset end = log.end();
        List<Source> generations = generationsOf(log);
        for (int i = generations.size() - 1; i >= 0; i--) {
            Source source = generations.get(i);
            checkDone("the end", source, end);
            end = source.start().compareTo(end) < 0 ? source.start() : end;
        }
    }

    /** Where reading this log began, in its last generation; 0 before it did. */
    long start(SimPartition log) {
        List<Source> generations = generationsOf(log);
        return generations.isEmpty() ? 0 : generations.get(generations.size() - 1).start().offset();
    }

    private List<Source> generationsOf(SimPartition log) {
        return world.database().sources().stream()
                .filter(it -> it.partition().equals(log.name()))
                .filter(it -> it.topicId().equals(log.topicId()))
                .sorted(Comparator.comparingInt(Source::generation))
                .toList();
    }
}
