package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.place.CallersStore.AtPlace;
import dev.envelope.idempotency.store.place.CallersStore.OfSlot;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.RowReads.Log;
import dev.envelope.idempotency.store.row.RowReads.Look;
import dev.envelope.idempotency.store.row.RowReads.Progress;
import dev.envelope.idempotency.store.row.RowReads.Row;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the database says of rows, and of offsets that callers wait for.
 *
 * <p>Threads: one thread; may block; throws {@link UnavailableException}.
 */
final class ReadLookup {

    private final AtPlace store;
    private final TopicsNow topics;
    private final LongSupplier nanoTime;
    private final Map<OfSlot, Sources> sources = new HashMap<>();

    ReadLookup(AtPlace store, TopicsNow topics, LongSupplier nanoTime) {
        this.store = store;
        this.topics = topics;
        this.nanoTime = nanoTime;
    }

    /** The name of the place that is asked; empty where rows are not divided. */
    String place() {
        return store.name();
    }

    /** A row that has to be at least so far. */
    record Wanted(String key, LogPosition at) {}

    /** How an offset that is waited for stands. */
    enum Verdict {
        PASSED,
        NOT_YET,
        UNKNOWN_PARTITION,
        RECREATED,
        /** It has passed in the topic that was there when the brokers answered last. */
        UNSURE
    }

    /**
     * What was found.
     *
     * @param entities those that there are, of the keys and of the wanted that have passed
     * @param leftOut keys whose rows did not fit
     * @param unanswered keys whose slot did not answer, though others did, and why
     */
    record Found(
            Map<String, Entity> entities,
            Set<String> leftOut,
            Map<Wanted, Verdict> verdicts,
            Map<String, String> unanswered) {

        private Found() {
            this(new HashMap<>(), new HashSet<>(), new HashMap<>(), new HashMap<>());
        }

        private void failed(Asked asked, UnavailableException why) {
            for (Set<Wanted> wanted : List.of(asked.fresh, asked.waiting)) {
                verdicts.keySet().removeAll(wanted);
                wanted.forEach(it -> unanswered.put(it.key(), Words.describe(why)));
            }
            asked.keys.forEach(it -> unanswered.put(it, Words.describe(why)));
        }

        private long bytes() {
            return entities.values().stream()
                    .map(Entity::state)
                    .mapToLong(it -> it == null ? 0 : it.length)
                    .sum();
        }
    }

    /** What is asked of one slot. */
    private record Asked(Set<String> keys, Set<Wanted> fresh, Set<Wanted> waiting) {

        private Asked() {
            this(new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
        }
    }

    /**
     * Looks, once more for those that wait. What has passed is read with the row in one statement:
     * a checkpoint that was seen before may be of a database that has gone back since. Where not
     * all rows fit, those that have waited come first, in the order given.
     *
     * @param mostBytes of states
     */
    Found look(Set<String> keys, Set<Wanted> fresh, Set<Wanted> waiting, long mostBytes) {
        Map<OfSlot, Asked> bySlot = new LinkedHashMap<>();
        waiting.forEach(it -> in(bySlot, it.key()).waiting.add(it));
        fresh.forEach(it -> in(bySlot, it.key()).fresh.add(it));
        keys.forEach(key -> in(bySlot, key).keys.add(key));
        Found found = new Found();
        int failed = 0;
        for (Map.Entry<OfSlot, Asked> each : bySlot.entrySet()) {
            Asked asked = each.getValue();
            try {
                look(each.getKey(), asked, Math.max(0, mostBytes - found.bytes()), found);
            } catch (UnavailableException e) {
                found.failed(asked, e);
                if (++failed == bySlot.size()) {
                    throw e;
                }
            }
        }
        return found;
    }

    private Asked in(Map<OfSlot, Asked> bySlot, String key) {
        return bySlot.computeIfAbsent(store.ofKey().apply(key), it -> new Asked());
    }

    private Sources sourcesOf(OfSlot slot) {
        return sources.computeIfAbsent(slot, it -> new Sources(it.sources(), topics, nanoTime));
    }

    private void look(OfSlot slot, Asked asked, long mostBytes, Found found) {
        RowReads rows = slot.rows();
        Sources its = sourcesOf(slot);
        Map<Wanted, Verdict> verdicts = found.verdicts;
        Set<Wanted> toRead = new LinkedHashSet<>();
        if (!asked.waiting.isEmpty()) {
            Map<Log, Progress> logs = rows.read(Set.of(), logs(asked.waiting), mostBytes).logs();
            Map<String, Marks> marks = rows.marks(keysOf(asked.waiting));
            for (Wanted each : asked.waiting) {
                Verdict verdict = judge(its, each, marks.get(each.key()), logs);
                verdicts.put(each, verdict);
                if (verdict == Verdict.PASSED) {
                    toRead.add(each);
                }
            }
        }
        toRead.addAll(asked.fresh);
        Set<String> all = keysOf(toRead);
        all.addAll(asked.keys);
        if (all.isEmpty()) {
            return;
        }
        Look look = rows.read(all, logs(toRead), mostBytes);
        its.learn(look.rows().values().stream().map(Row::marks).toList());
        for (Wanted each : toRead) {
            Row row = look.rows().get(each.key());
            verdicts.put(each, judge(its, each, row == null ? null : row.marks(), look.logs()));
        }
        look.rows()
                .forEach(
                        (key, row) -> {
                            found.entities.put(key, entity(its, row));
                            if (row.isLeftOut()) {
                                found.leftOut.add(key);
                            }
                        });
    }

    private static Set<String> keysOf(Collection<Wanted> wanted) {
        Set<String> keys = new LinkedHashSet<>();
        wanted.forEach(it -> keys.add(it.key()));
        return keys;
    }

    private Set<Log> logs(Collection<Wanted> wanted) {
        Set<Log> logs = new HashSet<>();
        for (Wanted each : wanted) {
            Topic now = topics.find(each.at().topic());
            if (now != null) {
                logs.add(new Log(now.id(), each.at().partition()));
            }
        }
        return logs;
    }

    private Verdict judge(
            Sources its, Wanted wanted, @Nullable Marks marks, Map<Log, Progress> logs) {
        LogPosition at = wanted.at();
        Topic now = topics.find(at.topic());
        if (now == null) { // the brokers have just come up, or it was deleted
            return Verdict.NOT_YET;
        } else if (at.partition() >= now.partitions()) { // or it was added just now
            return Verdict.UNKNOWN_PARTITION;
        }
        Progress progress = logs.get(new Log(now.id(), at.partition()));
        if (progress == null) {
            return its.isRecreated(at.topic(), now) ? Verdict.RECREATED : Verdict.NOT_YET;
        } else if (progress.isFormer()) { // the brokers will say so, too, when they are asked next
            return Verdict.NOT_YET;
        }
        boolean isInRow = marks != null && marks.nextOffset(progress.source()) > at.offset();
        if (!isInRow && progress.checkpoint() <= at.offset()) {
            return Verdict.NOT_YET;
        }
        return topics.trouble().isEmpty() ? Verdict.PASSED : Verdict.UNSURE;
    }

    private static Entity entity(Sources its, Row row) {
        Map<TopicPartition, Long> nextOffsets = new HashMap<>();
        row.marks() // ascending: of a partition the last generation stays
                .forEach(
                        (source, next) ->
                                its.find(source)
                                        .filter(its::isPresent)
                                        .ifPresent(
                                                found ->
                                                        nextOffsets.put(
                                                                found.partition(), next.offset())));
        return new Entity(row.state(), row.version(), nextOffsets, row.updatedAt(), row.age());
    }
}
