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

    private record Of(String process, TopicPartition partition, int slot) {}

    private record InSlot(int source, int slot) {}

    private static final NextOffset BEGINNING = new NextOffset(0, NextOffset.NO_EPOCH);

    private final World world;
    private final Map<Of, NextOffset> checkpointed = new HashMap<>();
    private final Map<InSlot, Long> verified = new HashMap<>();
    private final Set<String> committing = new HashSet<>(); // by process

    ProgressChecks(World world) {
        this.world = world;
    }

    /** Rows or logs are not what they were: what was looked at does not count any more. */
    void lookAgain() {
        verified.clear();
    }

    /** Of the records of a slot those below are done. */
    void checkpointed(SimInstance process, int slot, Source source, NextOffset next) {
        checkDone(process.name(), slot, source, onItsBranch(next, source.checkpoint()));
        checkpointed.merge(
                new Of(process.name(), source.partition(), slot), next, ProgressChecks::higher);
    }

    private static NextOffset higher(NextOffset one, NextOffset other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** A slot has been told of a source. */
    void introduced(int slot, Source source, NextOffset checkpoint) {
        checkDone("an introduction", slot, source, checkpoint);
    }

    /**
     * What the database has promised already says which branch a lower place is of: a former commit
     * may be of one that was cut off, and has been lost by a database that went back.
     */
    private static NextOffset onItsBranch(NextOffset next, NextOffset stored) {
        boolean isPromised = next.compareTo(stored) <= 0;
        return isPromised ? new NextOffset(next.offset(), stored.leaderEpoch()) : next;
    }

    private void checkDone(String who, int slot, Source source, NextOffset next) {
        if (world.doubts().isOfSource(source.number())
                || world.doubts().isOfFormer(source.number())) {
            return;
        }
        SimPartition log = world.log().of(source.partition(), source.topicId());
        InSlot of = new InSlot(source.number(), slot);
        long from = verified.getOrDefault(of, source.start().offset());
        List<SimRecord> promised =
                log.below(next).stream()
                        .filter(it -> it.offset() >= from && slotOf(it, source) == slot)
                        .toList();
        if (!promised.isEmpty()) {
            Map<String, Snapshot> rows = world.database().rows();
            Set<String> setAside = new HashSet<>(RowChecks.places(world.database().parked()));
            setAside.addAll(RowChecks.placesOfDeadLetters(world.database().outbox()));
            for (SimRecord record : promised) {
                if (!isDone(record, source, log, rows, setAside)) {
                    world.checks()
                            .fail(
                                    "commit-ahead",
                                    who
                                            + " says "
                                            + next
                                            + inSlot(slot)
                                            + ", and not done is "
                                            + record);
                }
            }
        }
        if (!log.wasTruncated()) {
            verified.merge(of, next.offset(), Math::max);
        }
    }

    /**
     * A save applies this record. Its slot has not said before that it is done with it: where it
     * has, the record is read again only since another slot has gone back below it. Of whoever has
     * lost the partition, or has a record that is gone from the log, that is not asked: it has read
     * the record before.
     */
    void applied(SimInstance by, Source source, SimRecord record) {
        SimPartition log = world.log().of(source.partition(), source.topicId());
        boolean isGone = record.offset() < log.start() || world.losses().mayMiss(record.place());
        if (!by.owns(source.partition()) || isGone) {
            return;
        }
        int slot = slotOf(record, source);
        NextOffset its = world.database().checkpoint(slot, source.number());
        if (its != null
                && record.offset() < its.offset()
                && record.offset() >= source.checkpoint().offset()
                && !log.wasTruncated()) {
            world.checks()
                    .fail(
                            "done-before",
                            record + " is applied, and the checkpoint is " + its + inSlot(slot));
        }
    }

    private String inSlot(int slot) {
        return world.division().isDivided() ? " in slot " + slot : "";
    }

    private int slotOf(SimRecord record, Source source) {
        String key = record.key();
        return world.division()
                .slotOf(
                        key == null
                                ? null
                                : world.settings().rowKey(source.partition().topic(), key),
                        source.partition());
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
                        && (mark.leaderEpoch() >= record.leaderEpoch()
                                || mark.leaderEpoch() < 0
                                || world.checks()
                                        .rows()
                                        .hasLeftBehind(rows.get(rowKey), record.place()));
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
        NextOffset known = null;
        for (int slot = 0; slot < world.division().slots().slots(); slot++) {
            NextOffset its = checkpointed.get(new Of(process.name(), partition, slot));
            known = known == null || (its != null && its.compareTo(known) > 0) ? its : known;
        }
        if (known == null || offset.compareTo(known) > 0) {
            world.checks()
                    .fail(
                            "commit-ahead",
                            process.name() + " commits " + offset + ", checkpointed " + known);
        }
        if (world.division().isDivided()) {
            checkSlots(process, partition, offset, next.metadata());
        }
    }

    /** What is committed is below the checkpoint of the slot that each of its records is of. */
    private void checkSlots(
            SimInstance process, TopicPartition partition, NextOffset next, String stamp) {
        SimPartition log = world.log().find(partition);
        List<Source> generations = log == null ? List.of() : generationsOf(log);
        if (log == null || generations.isEmpty() || log.wasTruncated()) {
            return;
        }
        Source source = generations.get(generations.size() - 1);
        if (!stamp.endsWith("/" + source.number()) // it may be of a topic that was there before
                || world.doubts().isOfSource(source.number())
                || world.doubts().isOfFormer(source.number())) {
            return;
        }
        Map<Integer, Long> saved = new HashMap<>(); // by slot
        for (SimRecord record : log.below(next)) {
            int slot = slotOf(record, source);
            long upTo = saved.computeIfAbsent(slot, it -> upTo(process, source, it));
            if (record.offset() >= Math.max(upTo, source.start().offset())
                    && !world.losses().mayMiss(record.place())) {
                world.checks()
                        .fail(
                                "commit-ahead",
                                process.name()
                                        + " commits "
                                        + next
                                        + ", and slot "
                                        + slot
                                        + " has a checkpoint of "
                                        + upTo
                                        + ": "
                                        + record);
            }
        }
    }

    /** A slot that has gone back since had said more. */
    private long upTo(SimInstance process, Source source, int slot) {
        NextOffset saved = checkpointed.get(new Of(process.name(), source.partition(), slot));
        NextOffset now = world.database().checkpoint(slot, source.number());
        return Math.max(saved == null ? -1 : saved.offset(), now == null ? -1 : now.offset());
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
            for (int slot = 0; slot < world.division().slots().slots(); slot++) {
                checkDone("the end", slot, source, end);
            }
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
