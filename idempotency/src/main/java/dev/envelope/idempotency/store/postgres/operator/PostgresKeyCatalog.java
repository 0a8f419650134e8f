package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Keys and their rows, read on one connection. Threads: one thread. */
final class PostgresKeyCatalog implements KeyCatalog {

    private static final int MOST_ASKED = 20;
    private static final int MOST_TIMERS = 20;

    private static final String ROW =
            "SELECT left(state::text, ?), octet_length(state::text), version, marks,"
                    + " coalesce(octet_length(ids), 0), parked, updated_at FROM %1$s.state"
                    + " WHERE key = ?";

    private static final String SOURCES =
            "SELECT m.source, s.topic, s.partition, s.generation FROM"
                    + " unnest(?::int[]) WITH ORDINALITY AS m (source, place)"
                    + " JOIN %1$s.source AS s ON s.number = m.source ORDER BY m.place";

    private static final String TIMERS =
            "SELECT name, due_at, fired_at FROM %1$s.timer WHERE key = ? ORDER BY due_at, name LIMIT "
                    + MOST_TIMERS;

    private static final String ASKED =
            "SELECT action, requested_by, requested_at, done_at, answer FROM %1$s.request"
                    + " WHERE row_key = ? AND action NOT LIKE '%% partition'"
                    + " ORDER BY number DESC LIMIT "
                    + MOST_ASKED;

    private final OperatorConnection connection;

    PostgresKeyCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    @Override
    public Optional<Row> row(String key) {
        List<Row> rows = new ArrayList<>();
        connection.query(
                ROW,
                row ->
                        rows.add(
                                new Row(
                                        row.getString(1),
                                        row.getInt(2),
                                        row.getLong(3),
                                        marks(Marks.parse(row.getString(4))),
                                        row.getInt(5),
                                        row.getInt(6),
                                        row.getTimestamp(7).toInstant())),
                MOST_STATE_CHARACTERS,
                key);
        return rows.stream().findFirst();
    }

    @Override
    public List<Timer> timers(String key) {
        List<Timer> timers = new ArrayList<>();
        connection.query(
                TIMERS,
                row -> {
                    Timestamp fired = row.getTimestamp(3);
                    timers.add(
                            new Timer(
                                    row.getString(1),
                                    row.getTimestamp(2).toInstant(),
                                    fired == null ? null : fired.toInstant()));
                },
                key);
        return timers;
    }

    @Override
    public List<Asked> asked(String key) {
        List<Asked> asked = new ArrayList<>();
        connection.query(
                ASKED,
                row -> {
                    Timestamp done = row.getTimestamp(4);
                    asked.add(
                            new Asked(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getTimestamp(3).toInstant(),
                                    done == null ? null : done.toInstant(),
                                    row.getString(5)));
                },
                key);
        return asked;
    }

    private List<Mark> marks(Marks marks) {
        Map<Integer, NextOffset> bySource = new LinkedHashMap<>();
        marks.forEach(bySource::put);
        List<Mark> named = new ArrayList<>();
        connection.query(
                SOURCES,
                row -> {
                    NextOffset next = Objects.requireNonNull(bySource.get(row.getInt(1)));
                    named.add(
                            new Mark(
                                    row.getString(2),
                                    row.getInt(3),
                                    row.getInt(4),
                                    next.offset(),
                                    next.leaderEpoch()));
                },
                BinaryArray.ofInts(List.copyOf(bySource.keySet()), source -> source));
        return named;
    }

    @Override
    public void close() {
        connection.close();
    }
}
