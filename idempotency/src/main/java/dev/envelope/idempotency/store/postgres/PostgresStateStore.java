package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Change;
import dev.envelope.idempotency.store.Snapshot;
import dev.envelope.idempotency.store.StateStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows in Postgres.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresStateStore implements StateStore {

    private static final int MAX_KEYS = 2_000;
    private static final long MAX_KEY_BYTES = 1L << 20;

    /** The left side gives one row at least, so that the server's start is always told. */
    private static final String LOAD =
            "SELECT g.start, s.key, s.version, s.state, s.marks, s.ids, s.parked FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN %1$s.state AS s ON s.key = ANY (?::text[])"
                    // In the same snapshot: who sees that a row is gone sees how far they are gone.
                    + " UNION ALL SELECT "
                    + ServerLife.START_MICROS
                    + ", NULL, 0, NULL, string_agg(number || ':' || purged_below"
                    + " || CASE WHEN purged_epoch < 0 THEN '' ELSE '@' || purged_epoch END, ' '"
                    + " ORDER BY number), NULL, 0 FROM %1$s.source WHERE purged_below > 0";

    private final Database database;
    private final PostgresSettings settings;
    private final String load;
    private final NewRows newRows;

    PostgresStateStore(Database database, PostgresSettings settings) {
        this.database = database;
        this.settings = settings;
        this.load = LOAD.formatted(settings.quotedSchema());
        this.newRows = new NewRows(settings);
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return database.call(
                database.lanes(),
                incarnation,
                (connection, life) -> {
                    Map<String, Snapshot> found = new HashMap<>(keys.size() * 2);
                    for (List<String> some : capped(keys)) {
                        load(connection, life, some, found);
                    }
                    return found;
                });
    }

    private void load(
            Connection connection, ServerLife life, List<String> keys, Map<String, Snapshot> into)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(load)) {
            statement.setObject(1, BinaryArray.ofTexts(keys, key -> key));
            String purged = null;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Database.requireLife(life, row.getLong(1));
                    String key = row.getString(2);
                    if (key != null) {
                        into.put(key, snapshot(key, row));
                    } else {
                        purged = purged == null ? row.getString(5) : purged;
                    }
                }
            }
            if (purged != null) {
                Marks marks = Marks.parse(purged);
                for (String key : keys) {
                    Snapshot row = into.getOrDefault(key, Snapshot.absent(key));
                    into.put(key, row.inStorePurgedTo(marks));
                }
            }
        }
    }

    private static Snapshot snapshot(String key, ResultSet row) throws SQLException {
        return new Snapshot(
                key,
                row.getLong(3),
                row.getBytes(4),
                Marks.parse(row.getString(5)),
                row.getBytes(6),
                row.getInt(7));
    }

    private static List<List<String>> capped(Collection<String> keys) {
        List<List<String>> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        long bytes = 0;
        for (String key : keys) {
            if (part.size() == MAX_KEYS || bytes > MAX_KEY_BYTES) {
                parts.add(part);
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(key);
            bytes += key.length();
        }
        parts.add(part);
        return parts;
    }

    @Override
    public boolean[] save(List<Change> changes, Locks locks, Incarnation incarnation) {
        List<SaveBatch> batches = SaveBatch.split(changes);
        Database.Work<boolean[]> work =
                (connection, life) -> {
                    boolean[] saved = new boolean[changes.size()];
                    if (locks == Locks.WAIT && newRows.save(connection, life, batches)) {
                        Arrays.fill(saved, true);
                    } else {
                        save(connection, life, batches, locks, saved);
                    }
                    return saved;
                };
        return switch (locks) {
            case WAIT -> database.save(database.lanes(), incarnation, work);
            case SKIP -> database.saveAroundLocks(database.lanes(), incarnation, work);
            case ALONE -> database.save(database.alone(), incarnation, work);
        };
    }

    private void save(
            Connection connection,
            ServerLife life,
            List<SaveBatch> batches,
            Locks locks,
            boolean[] saved)
            throws SQLException {
        if (locks == Locks.SKIP) {
            connection.setAutoCommit(false);
            new SaveAroundLocks(connection, life, settings, saved).save(batches);
            connection.commit();
        } else if (batches.size() == 1) {
            batches.get(0).save(connection, life, settings, false, saved);
        } else {
            connection.setAutoCommit(false);
            for (SaveBatch batch : batches) {
                batch.save(connection, life, settings, false, saved);
            }
            connection.commit();
        }
    }
}
