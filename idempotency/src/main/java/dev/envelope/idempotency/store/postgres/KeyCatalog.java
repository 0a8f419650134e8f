package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.Marks;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of a key's row: looked at, not locked.
 *
 * <p>Threads: one thread, one connection.
 */
public final class KeyCatalog implements AutoCloseable {

    /** More of a state is nothing for a screen. */
    private static final int MOST_STATE_CHARACTERS = 64 << 10;

    private static final int MOST_ASKED = 20;

    private static final String ROW =
            "SELECT left(state::text, ?), octet_length(state::text), version, marks,"
                    + " coalesce(octet_length(ids), 0), parked, updated_at FROM %1$s.state"
                    + " WHERE key = ?";

    private static final String SOURCES =
            "SELECT m.source, s.topic, s.partition, s.generation FROM"
                    + " unnest(?::int[]) WITH ORDINALITY AS m (source, place)"
                    + " JOIN %1$s.source AS s ON s.number = m.source ORDER BY m.place";

    private static final String ASKED =
            "SELECT action, requested_by, requested_at, done_at, answer FROM %1$s.request"
                    + " WHERE row_key = ? AND action NOT LIKE '%% partition'"
                    + " ORDER BY number DESC LIMIT "
                    + MOST_ASKED;

    /**
     * What somebody has asked for about a key.
     *
     * @param by whom, as they said
     * @param done null if it is not carried out yet
     * @param answer what came of it
     */
    public record Asked(
            String action,
            String by,
            Instant at,
            @Nullable Instant done,
            @Nullable String answer) {}

    /**
     * A key's row.
     *
     * @param state as text, or the beginning of it; null for a deleted key
     * @param stateBytes how long all of it is
     * @param marks how far each partition's log is applied to it
     * @param idBytes what the remembered event ids take
     * @param parked how many messages of it are parked
     */
    public record Row(
            @Nullable String state,
            int stateBytes,
            long version,
            List<Mark> marks,
            int idBytes,
            int parked,
            Instant updatedAt) {

        /** Whether the text is all of the state. */
        public boolean isWhole() {
            return stateBytes <= MOST_STATE_CHARACTERS;
        }
    }

    /**
     * How far a partition's log is applied.
     *
     * @param generation grows with each truncation of the log that was accepted
     * @param next the offset of the next message that is not applied
     */
    public record Mark(String topic, int partition, int generation, long next, int leaderEpoch) {}

    private final OperatorConnection connection;

    KeyCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    /**
     * Connects.
     *
     * @throws UnavailableException if the database can't be used
     */
    public static KeyCatalog open(PostgresSettings settings) {
        return new KeyCatalog(OperatorConnection.open(settings));
    }

    /** The row of a key, if it has one. */
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

    /** What was asked for about a key of late, the last first. */
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
