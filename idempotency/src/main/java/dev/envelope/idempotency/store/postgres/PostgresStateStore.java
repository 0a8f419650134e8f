package dev.envelope.idempotency.store.postgres;

import static java.util.Objects.requireNonNull;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.postgres.timer.DueTimers;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows in Postgres.
 *
 * <p>Threads: thread-safe (each call has a connection of its own; the largest row is an atomic).
 */
final class PostgresStateStore implements StateStore {

    private static final int MAX_KEYS = 2_000;
    private static final int SHRINKS = 8_192;
    private static final long MAX_KEY_BYTES = 1L << 20;

    /** The most bytes that a load returns, without its last row. */
    static final long MAX_LOADED_BYTES = 32L << 20;

    /** The left side returns at least one row, so that the server's start is always returned. */
    private static final String LOAD =
            "SELECT g.start, s.key, s.version, s.state, s.marks, s.ids, s.parked FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN %1$s.state AS s ON s.key = ANY (?::text[])"
                    // In the same snapshot: a load that finds a row purged also sees the purge
                    // marks.
                    + " UNION ALL SELECT "
                    + ServerLife.START_MICROS
                    + ", NULL, 0, NULL, string_agg(number || ':' || purged_below"
                    + " || CASE WHEN purged_epoch < 0 THEN '' ELSE '@' || purged_epoch END, ' '"
                    + " ORDER BY number), NULL, 0 FROM %1$s.source WHERE purged_below > 0";

    /**
     * The same, but states and ids only of the first rows up to a number of bytes. For rows that
     * may be large: the server must compute their lengths.
     */
    private static final String LOAD_SOME =
            LOAD.replace(
                            "s.state, s.marks, s.ids, s.parked FROM",
                            "CASE WHEN s.fits THEN s.state END, s.marks,"
                                    + " CASE WHEN s.fits THEN s.ids END, s.parked, s.fits FROM")
                    .replace(
                            "%1$s.state AS s ON s.key = ANY (?::text[])",
                            "(SELECT r.*, sum(r.own) OVER"
                                    + " (ORDER BY r.place ROWS UNBOUNDED PRECEDING) - r.own < ?"
                                    + " AS fits FROM (SELECT t.key, t.version, t.state, t.marks,"
                                    + " t.ids, t.parked, k.place,"
                                    + " coalesce(octet_length(t.state::text), 0)"
                                    + " + coalesce(octet_length(t.ids), 0) AS own"
                                    + " FROM unnest(?::text[]) WITH ORDINALITY AS k(key, place)"
                                    + " JOIN %1$s.state AS t ON t.key = k.key) AS r) AS s ON true")
                    .replace("NULL, 0 FROM %1$s.source", "NULL, 0, true FROM %1$s.source");

    private static final String APPLIED =
            "SELECT g.start, r.key, r.command, r.source, r.record_offset FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN (unnest(?::text[], ?::text[]) AS c(key, command)"
                    + " JOIN %1$s.reply AS r ON r.key = c.key AND r.command = c.command"
                    + " AND r.disposition IN ('applied', 'duplicate')) ON true";

    private final Database database;
    private final SaveTargets targets;
    private final LongSupplier nanoTime;
    private final AtomicLong largest =
            new AtomicLong(MAX_LOADED_BYTES); // the size of the largest row, as far as known
    private final IdentityHashMap<SaveTarget, Loads> loads = new IdentityHashMap<>();
    private final NewRows newRows = new NewRows();

    /** The statements that load rows of one schema. */
    private record Loads(String all, String some) {

        static Loads of(SaveTarget target) {
            return new Loads(LOAD.formatted(target.schema()), LOAD_SOME.formatted(target.schema()));
        }
    }

    PostgresStateStore(Database database, SaveTargets targets, LongSupplier nanoTime) {
        this.database = database;
        this.targets = targets;
        this.nanoTime = nanoTime;
        targets.all().forEach(target -> loads.put(target, Loads.of(target)));
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return database.read(
                database.lanes(),
                incarnation,
                (connection, life) -> {
                    Map<String, Snapshot> found = new HashMap<>(keys.size() * 2);
                    long loaded = 0;
                    for (SaveTargets.Part<String> part : divided(keys)) {
                        Loads sql = requireNonNull(loads.get(part.target()));
                        for (List<String> some : capped(part.of())) {
                            if (loaded < MAX_LOADED_BYTES) {
                                loaded += loadOrLearn(connection, life, sql, some, loaded, found);
                            } else {
                                some.forEach(key -> found.put(key, Snapshot.leftOut(key)));
                            }
                        }
                    }
                    return found;
                });
    }

    /** These keys by their targets; that of the first key comes first. */
    private List<SaveTargets.Part<String>> divided(Collection<String> keys) {
        List<SaveTargets.Part<String>> parts = new ArrayList<>(targets.divide(keys, key -> key));
        keys.stream()
                .findFirst()
                .ifPresent(
                        first ->
                                parts.sort(
                                        Comparator.comparing(
                                                part -> !part.of().get(0).equals(first))));
        return parts;
    }

    /**
     * Loads; if the driver reports that the result was too large for our memory, later loads are
     * limited.
     */
    private long loadOrLearn(
            Connection connection,
            ServerLife life,
            Loads sql,
            List<String> keys,
            long before,
            Map<String, Snapshot> into)
            throws SQLException {
        try {
            return load(connection, life, sql, keys, before, into);
        } catch (SQLException e) {
            if (SqlErrors.isOutOfMemory(e)) {
                largest.set(MAX_LOADED_BYTES);
            }
            throw e;
        }
    }

    /** Loads the rows of these keys, as far as they fit; returns their size in bytes. */
    private long load(
            Connection connection,
            ServerLife life,
            Loads sql,
            List<String> keys,
            long before,
            Map<String, Snapshot> into)
            throws SQLException {
        boolean isBounded = before + keys.size() * largest.get() > MAX_LOADED_BYTES;
        long bytes = 0;
        long longest = 0;
        String purged = null;
        try (PreparedStatement statement =
                connection.prepareStatement(isBounded ? sql.some() : sql.all())) {
            if (isBounded) {
                statement.setLong(1, MAX_LOADED_BYTES - before);
            }
            statement.setObject(isBounded ? 2 : 1, BinaryArray.ofTexts(keys, key -> key));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Database.requireLife(life, row.getLong(1));
                    String key = row.getString(2);
                    if (key == null) {
                        purged = purged == null ? row.getString(5) : purged;
                    } else if (isBounded && !row.getBoolean(8)) {
                        into.put(key, Snapshot.leftOut(key));
                    } else {
                        Snapshot snapshot = snapshot(key, row);
                        into.put(key, snapshot);
                        bytes += snapshot.bytes();
                        longest = Math.max(longest, snapshot.bytes());
                    }
                }
            }
        }
        learn(longest);
        if (purged != null) {
            Marks marks = Marks.parse(purged);
            for (String key : keys) {
                Snapshot row = into.getOrDefault(key, Snapshot.absent(key));
                if (!row.isLeftOut()) {
                    into.put(key, row.inStorePurgedTo(marks));
                }
            }
        }
        return bytes;
    }

    /**
     * Updates the size of the largest row. It grows at once, and shrinks over many thousand loads,
     * so that occasional large rows are still loaded with the limit. A lost update costs a little
     * speed.
     */
    private void learn(long longest) {
        long known = largest.get();
        largest.set(longest >= known ? longest : Math.max(longest, known - known / SHRINKS));
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
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        Map<String, Map<String, DueTimer>> due = new HashMap<>();
        readBeside(
                DueTimers.SQL,
                new Named<>(timers, TimerId::key, TimerId::name),
                incarnation,
                row ->
                        due.computeIfAbsent(row.getString(2), it -> new HashMap<>())
                                .put(row.getString(3), DueTimers.timer(row)));
        return due;
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        Map<CommandId, Reply.At> applied = new HashMap<>();
        readBeside(
                APPLIED,
                new Named<>(commands, CommandId::key, CommandId::command),
                incarnation,
                row ->
                        applied.put(
                                new CommandId(row.getString(2), row.getString(3)),
                                new Reply.At(row.getInt(4), row.getLong(5))));
        return applied;
    }

    /** What is saved beside a row has its key and a name. */
    private record Named<T>(Collection<T> all, Function<T, String> key, Function<T, String> name) {}

    /** Reads those that are there; each row begins with the server's start, key and name. */
    private <T> void readBeside(
            String sql, Named<T> asked, Incarnation incarnation, Statements.EachRow each) {
        database.read(
                database.lanes(),
                incarnation,
                (connection, life) -> {
                    for (SaveTargets.Part<T> part : targets.divide(asked.all, asked.key)) {
                        new Statements(connection, part.target().schema())
                                .query(
                                        sql,
                                        row -> {
                                            Database.requireLife(life, row.getLong(1));
                                            if (row.getString(2) != null) {
                                                each.take(row);
                                            }
                                        },
                                        BinaryArray.ofTexts(part.of(), asked.key),
                                        BinaryArray.ofTexts(part.of(), asked.name));
                    }
                    return true;
                });
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        @Nullable TableSql table = targets.first().table(); // all slots have the same
        if (table == null || !table.isFound()) {
            return Set.of(); // they were parked by a process that reads one
        }
        String waiting = table.waiting();
        List<String> asked = List.copyOf(rowIds);
        return database.call(
                database.lanes(),
                incarnation,
                (connection, life) -> {
                    Set<String> found = new HashSet<>();
                    new Statements(connection, targets.first().schema())
                            .query(
                                    waiting.replace("%", "%%"), // as it is
                                    row -> {
                                        Database.requireLife(life, row.getLong(1));
                                        @Nullable String id = row.getString(2);
                                        if (id != null) {
                                            found.add(id);
                                        }
                                    },
                                    BinaryArray.ofTexts(asked, id -> id));
                    return found;
                });
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        List<SaveBatch> batches = SaveBatch.split(changes, targets);
        Database.Work<boolean[]> work =
                (connection, life) -> {
                    boolean[] saved = new boolean[changes.size()];
                    if (patience == Patience.WAIT && newRows.save(connection, life, batches)) {
                        Arrays.fill(saved, true);
                    } else {
                        save(connection, life, batches, patience, saved);
                    }
                    return saved;
                };
        return switch (patience) {
            case WAIT -> database.save(database.lanes(), incarnation, work);
            case SKIP -> database.saveAroundLocks(database.lanes(), incarnation, work);
            case ALONE -> database.save(database.alone(), incarnation, work);
        };
    }

    private void save(
            Connection connection,
            ServerLife life,
            List<SaveBatch> batches,
            Patience patience,
            boolean[] saved)
            throws SQLException {
        if (patience == Patience.SKIP) {
            connection.setAutoCommit(false);
            new SaveAroundLocks(connection, life, saved, nanoTime).save(batches);
            connection.commit();
        } else if (batches.size() == 1 && !batches.get(0).doesRows()) {
            batches.get(0).save(connection, life, false, saved);
        } else {
            connection.setAutoCommit(false);
            for (SaveBatch batch : batches) {
                batch.save(connection, life, false, saved);
            }
            connection.commit();
        }
    }
}
