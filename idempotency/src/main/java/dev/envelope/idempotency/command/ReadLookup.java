package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.RowReads.Log;
import dev.envelope.idempotency.store.row.RowReads.Look;
import dev.envelope.idempotency.store.row.RowReads.Progress;
import dev.envelope.idempotency.store.row.RowReads.Row;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the database says of rows, and of offsets that callers wait for.
 *
 * <p>Threads: one thread; may block; throws {@link UnavailableException}.
 */
final class ReadLookup {

    private final RowReads rows;
    private final Sources sources;
    private final TopicsNow topics;

    ReadLookup(RowReads rows, Sources sources, TopicsNow topics) {
        this.rows = rows;
        this.sources = sources;
        this.topics = topics;
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
     */
    record Found(
            Map<String, Entity> entities, Set<String> leftOut, Map<Wanted, Verdict> verdicts) {}

    /**
     * Looks, once more for those that wait. What has passed is read with the row in one statement:
     * a checkpoint that was seen before may be of a database that has gone back since.
     *
     * @param mostBytes of states
     */
    Found look(Set<String> keys, Set<Wanted> fresh, Set<Wanted> waiting, long mostBytes) {
        Map<Wanted, Verdict> verdicts = new HashMap<>();
        Set<Wanted> toRead = new HashSet<>(fresh);
        if (!waiting.isEmpty()) {
            Map<Log, Progress> logs = rows.read(Set.of(), logs(waiting), mostBytes).logs();
            Map<String, Marks> marks = rows.marks(keysOf(waiting));
            waiting.forEach(it -> verdicts.put(it, judge(it, marks.get(it.key()), logs)));
            waiting.stream().filter(it -> verdicts.get(it) == Verdict.PASSED).forEach(toRead::add);
        }
        Set<String> all = new HashSet<>(keys);
        all.addAll(keysOf(toRead));
        Map<String, Entity> entities = new HashMap<>();
        Set<String> leftOut = new HashSet<>();
        if (!all.isEmpty()) {
            Look look = rows.read(all, logs(toRead), mostBytes);
            sources.learn(look.rows().values().stream().map(Row::marks).toList());
            for (Wanted each : toRead) {
                Row row = look.rows().get(each.key());
                verdicts.put(each, judge(each, row == null ? null : row.marks(), look.logs()));
            }
            look.rows().forEach((key, row) -> entities.put(key, entity(row)));
            look.rows().entrySet().stream()
                    .filter(it -> it.getValue().isLeftOut())
                    .forEach(it -> leftOut.add(it.getKey()));
        }
        return new Found(entities, leftOut, verdicts);
    }

    private static Set<String> keysOf(Collection<Wanted> wanted) {
        Set<String> keys = new HashSet<>();
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

    private Verdict judge(Wanted wanted, @Nullable Marks marks, Map<Log, Progress> logs) {
        LogPosition at = wanted.at();
        Topic now = topics.find(at.topic());
        if (now == null) { // the brokers have just come up, or it was deleted
            return Verdict.NOT_YET;
        } else if (at.partition() >= now.partitions()) { // or it was added just now
            return Verdict.UNKNOWN_PARTITION;
        }
        Progress progress = logs.get(new Log(now.id(), at.partition()));
        if (progress == null) {
            return sources.isRecreated(at.topic(), now) ? Verdict.RECREATED : Verdict.NOT_YET;
        } else if (progress.isFormer()) { // the brokers will say so, too, when they are asked next
            return Verdict.NOT_YET;
        }
        boolean isInRow = marks != null && marks.nextOffset(progress.source()) > at.offset();
        if (!isInRow && progress.checkpoint() <= at.offset()) {
            return Verdict.NOT_YET;
        }
        return topics.trouble().isEmpty() ? Verdict.PASSED : Verdict.UNSURE;
    }

    private Entity entity(Row row) {
        Map<TopicPartition, Long> nextOffsets = new HashMap<>();
        row.marks() // ascending: of a partition the last generation stays
                .forEach(
                        (source, next) ->
                                sources.find(source)
                                        .filter(sources::isPresent)
                                        .ifPresent(
                                                it ->
                                                        nextOffsets.put(
                                                                it.partition(), next.offset())));
        return new Entity(row.state(), row.version(), nextOffsets, row.updatedAt(), row.age());
    }
}
