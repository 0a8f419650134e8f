package dev.envelope.idempotency.store;

import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * The rows of a database in memory for callers outside.
 *
 * <p>Threads: thread-safe (the database is).
 */
public final class InMemoryRowReads implements RowReads {

    private final InMemoryDatabase database;

    public InMemoryRowReads(InMemoryDatabase database) {
        this.database = database;
    }

    @Override
    public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
        synchronized (database) {
            Look look = new Look(new HashMap<>(), new HashMap<>());
            keys.forEach(key -> read(key, look.rows()));
            logs.forEach(log -> read(log, look.logs()));
            return look;
        }
    }

    private void read(String key, Map<String, Row> into) {
        Snapshot row = database.row(key);
        if (row != null) {
            long saved = database.updatedAt(key);
            into.put(
                    key,
                    new Row(
                            row.state(),
                            row.version(),
                            row.marks(),
                            Instant.EPOCH.plusNanos(saved),
                            Duration.ofNanos(database.nanos() - saved),
                            false));
        }
    }

    private void read(Log log, Map<Log, Progress> into) {
        database.sources().stream()
                .filter(it -> it.topicId().equals(log.topicId()))
                .filter(it -> it.partition().partition() == log.partition())
                .max(Comparator.comparing(Source::generation))
                .ifPresent(
                        it ->
                                into.put(
                                        log,
                                        new Progress(
                                                it.number(),
                                                it.checkpoint().offset(),
                                                isFormer(it))));
    }

    private boolean isFormer(Source source) {
        return database.sources().stream()
                .filter(it -> it.partition().equals(source.partition()))
                .filter(it -> !it.topicId().equals(source.topicId()))
                .anyMatch(it -> it.number() > source.number());
    }

    @Override
    public Map<String, Marks> marks(Collection<String> keys) {
        synchronized (database) {
            Map<String, Marks> found = new HashMap<>();
            for (String key : keys) {
                Snapshot row = database.row(key);
                if (row != null) {
                    found.put(key, row.marks());
                }
            }
            return found;
        }
    }
}
