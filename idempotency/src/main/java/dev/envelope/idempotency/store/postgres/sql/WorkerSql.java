package dev.envelope.idempotency.store.postgres.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGobject;

/**
 * The statements of a save whose schema is on a worker of Citus. There is one for each table, since
 * Citus hands a statement on as it is, with its values, only if that names tables of one schema,
 * inserts nothing in a {@code WITH}, and calls no function that depends on the server or the time;
 * everything else it takes apart, or commits in two phases. Insertions read {@code application},
 * which has one row, as they would be made on the coordinator otherwise.
 *
 * <p>{@code %1$s} stands for the schema.
 */
public final class WorkerSql {

    private static final String SET =
            " AS s SET state = c.state, version = c.version + 1, marks = c.marks, ids = c.ids,"
                    + " parked = s.parked + c.parked, updated_at = ?";

    private static final String GIVEN =
            "unnest(?::text[], ?::bigint[], ?::json[], ?::text[], ?::bytea[], ?::int[])"
                    + " AS c(key, version, state, marks, ids, parked)";

    private static final String MATCHES = "s.key = c.key AND s.version = c.version";

    /**
     * The time, and for updates: keys, versions, states, marks, ids, numbers of parked messages.
     * The result is the keys of the saved rows.
     */
    private static final String UPDATE =
            "UPDATE %1$s.state" + SET + " FROM " + GIVEN + " WHERE " + MATCHES + " RETURNING s.key";

    /** The same of rows that are not locked; the time is the last value. */
    private static final String UPDATE_FREE =
            "WITH free AS MATERIALIZED (SELECT c.* FROM "
                    + GIVEN
                    + " JOIN %1$s.state AS s ON "
                    + MATCHES
                    + " FOR NO KEY UPDATE OF s SKIP LOCKED) UPDATE %1$s.state"
                    + SET
                    + " FROM free AS c WHERE "
                    + MATCHES
                    + " RETURNING s.key";

    /** The time, keys, states, marks, ids, numbers of parked messages. */
    private static final String INSERT =
            "INSERT INTO %1$s.state (key, version, state, marks, ids, parked, updated_at)"
                    + " SELECT c.key, 1, c.state, c.marks, c.ids, c.parked, ?"
                    + " FROM unnest(?::text[], ?::json[], ?::text[], ?::bytea[], ?::int[])"
                    + " AS c(key, state, marks, ids, parked), %1$s.application WHERE true"
                    + " ON CONFLICT (key) DO NOTHING RETURNING key";

    /** Takes numbers of a sequence. */
    private static final String NUMBERS = "SELECT nextval('%%1$s.%s') FROM generate_series(1, ?)";

    /**
     * The instance, the time, positions, and the values of {@link SetAsideSql#ofParked}. The result
     * is the positions of those that were parked.
     */
    private static final String PARK =
            "INSERT INTO %1$s.parked (position, row_key, source, record_offset, leader_epoch,"
                    + " record_timestamp, key, value, headers, reason, error, attempts, instance,"
                    + " parked_at) OVERRIDING SYSTEM VALUE SELECT m.position, m.row_key, m.source,"
                    + " m.record_offset, m.leader_epoch, m.record_timestamp, m.key, m.value,"
                    + " m.headers, m.reason, m.error, m.attempts, ?, ? FROM unnest(?::bigint[],"
                    + " ?::text[], ?::text[], ?::int[], ?::bigint[], ?::int[], ?::bigint[],"
                    + " ?::bytea[], ?::bytea[], ?::json[], ?::text[], ?::text[], ?::int[])"
                    + " AS m(position, owner, row_key, source, record_offset, leader_epoch,"
                    + " record_timestamp, key, value, headers, reason, error, attempts),"
                    + " %1$s.application WHERE (m.owner IS NOT NULL OR (NOT EXISTS"
                    + " (SELECT FROM %1$s.dropped AS d WHERE d.source = m.source"
                    + " AND d.record_offset = m.record_offset AND d.leader_epoch = m.leader_epoch)"
                    + " AND NOT "
                    + ParkedSql.isPassed("m")
                    + ")) ON CONFLICT (source, record_offset, leader_epoch) DO NOTHING"
                    + " RETURNING position";

    /** The positions of parked messages, twice. */
    private static final String TALLY = tally("");

    private static final String TALLY_OF_GONE = tally("-");

    private static final String UNPARK =
            "DELETE FROM %1$s.parked WHERE position = ANY (?::bigint[])";

    /** The time, positions, and the values of {@link SetAsideSql#ofDeadLetters}. */
    private static final String PUT_OUT =
            "INSERT INTO %1$s.outbox (position, topic, key, value, headers, source, record_offset,"
                    + " leader_epoch, ordinal, created_at) OVERRIDING SYSTEM VALUE SELECT m.position,"
                    + " m.topic, m.key, m.value, m.headers, m.source, m.record_offset,"
                    + " m.leader_epoch, m.ordinal, ? FROM unnest(?::bigint[], ?::text[], ?::text[],"
                    + " ?::bytea[], ?::bytea[], ?::json[], ?::int[], ?::bigint[], ?::int[],"
                    + " ?::int[]) AS m(position, owner, topic, key, value, headers, source,"
                    + " record_offset, leader_epoch, ordinal), %1$s.application"
                    + " WHERE (m.owner IS NOT NULL OR NOT "
                    + ParkedSql.isPassed("m")
                    + ") ON CONFLICT (source, record_offset, leader_epoch, ordinal) DO NOTHING";

    /** The values of {@link OutputSql#values}, a position, the time. */
    private static final String OUTPUT =
            "INSERT INTO %1$s.output (relay, "
                    + OutputSql.ARRAYS
                    + ", bytes, position, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    /** The first nine values of {@link TimerSql#values}. */
    private static final String SET_TIMERS =
            "INSERT INTO %1$s.timer (key, name, due_at, payload, record_key, source,"
                    + " record_offset, leader_epoch, ordinal) SELECT m.key, m.name,"
                    + " to_timestamp(m.due::double precision / 1000000), m.payload,"
                    + " m.record_key, m.source, m.record_offset, m.leader_epoch, m.ordinal"
                    + " FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bytea[], ?::bytea[],"
                    + " ?::int[], ?::bigint[], ?::int[], ?::int[]) AS m(key, name, due, payload,"
                    + " record_key, source, record_offset, leader_epoch, ordinal),"
                    + " %1$s.application WHERE true"
                    + " ON CONFLICT (key, name) DO UPDATE SET due_at = EXCLUDED.due_at,"
                    + " payload = EXCLUDED.payload, record_key = EXCLUDED.record_key,"
                    + " source = EXCLUDED.source, record_offset = EXCLUDED.record_offset,"
                    + " leader_epoch = EXCLUDED.leader_epoch, ordinal = EXCLUDED.ordinal,"
                    + " fired_at = NULL";

    /** The other two. */
    private static final String END_TIMERS =
            "DELETE FROM %1$s.timer AS t USING unnest(?::text[], ?::text[]) AS m(key, name)"
                    + " WHERE t.key = m.key AND t.name = m.name";

    /** The time, and the values of {@link ReplySql#values}. */
    private static final String REPLY =
            "INSERT INTO %1$s.reply AS r (key, command, disposition, reason, value, is_state,"
                    + " version, source, record_offset, made_at) SELECT m.key, m.command,"
                    + " m.disposition, m.reason, m.value, m.is_state = 1, m.version, m.source,"
                    + " m.record_offset, ? FROM unnest(?::text[], ?::text[], ?::text[], ?::text[],"
                    + " ?::bytea[], ?::int[], ?::bigint[], ?::int[], ?::bigint[]) AS m(key,"
                    + " command, disposition, reason, value, is_state, version, source,"
                    + " record_offset), %1$s.application WHERE true"
                    + ReplySql.WHICH_STAYS;

    private static final List<String> ALL =
            List.of(
                    UPDATE,
                    UPDATE_FREE,
                    INSERT,
                    PARK,
                    TALLY,
                    TALLY_OF_GONE,
                    UNPARK,
                    PUT_OUT,
                    OUTPUT,
                    SET_TIMERS,
                    END_TIMERS,
                    REPLY);

    private WorkerSql() {}

    /** Adds messages that are in the table to the tally, or takes them from it: see ParkedSql. */
    private static String tally(String sign) {
        return "INSERT INTO %1$s.parked_tally (source, messages, keys) SELECT n.source, "
                + sign
                + "sum(n.messages), "
                + sign
                + "count(n.row_key) FILTER (WHERE (SELECT true FROM %1$s.parked AS p"
                + " WHERE p.row_key = n.row_key AND p.source = n.source"
                + " AND p.position <> ALL (?::bigint[]) LIMIT 1) IS NULL)"
                + " FROM (SELECT source, row_key, count(*) AS messages FROM %1$s.parked"
                + " WHERE position = ANY (?::bigint[]) GROUP BY source, row_key) AS n"
                + " GROUP BY n.source";
    }

    /** All statements that write. */
    static List<String> all() {
        return ALL;
    }

    /**
     * Updates rows.
     *
     * @param skipLocked whether rows that are locked are left out
     * @param given keys, versions, states, marks, ids, numbers of parked messages
     * @return the keys of those that were still at their versions
     */
    public static List<String> update(Statements statements, boolean skipLocked, List<?> given)
            throws SQLException {
        return skipLocked
                ? statements.list(UPDATE_FREE, row -> row.getString(1), values(given, now()))
                : statements.list(UPDATE, row -> row.getString(1), values(now(), given));
    }

    /**
     * Inserts rows.
     *
     * @param given keys, states, marks, ids, numbers of parked messages
     * @return the keys of those that were not there
     */
    public static List<String> insert(Statements statements, List<?> given) throws SQLException {
        return statements.list(INSERT, row -> row.getString(1), values(now(), given));
    }

    /** Parks messages, but those that are parked or dropped already. */
    public static void park(
            Statements statements, String instance, List<SetAsideSql.Parked> messages)
            throws SQLException {
        if (!messages.isEmpty()) {
            List<Long> parked =
                    statements.list(
                            PARK,
                            row -> row.getLong(1),
                            values(
                                    instance,
                                    now(),
                                    numbers(statements, "parked_position_seq", messages.size()),
                                    SetAsideSql.ofParked(messages)));
            BinaryArray positions = BinaryArray.ofLongs(parked, it -> it);
            statements.update(TALLY, positions, positions);
        }
    }

    /** Takes parked messages out. */
    public static void unpark(Statements statements, List<Long> positions) throws SQLException {
        if (!positions.isEmpty()) {
            BinaryArray gone = BinaryArray.ofLongs(positions, it -> it);
            statements.update(TALLY_OF_GONE, gone, gone);
            statements.update(UNPARK, gone);
        }
    }

    /** Inserts dead letters into the outbox. */
    public static void putOut(Statements statements, List<SetAsideSql.DeadLetter> letters)
            throws SQLException {
        if (!letters.isEmpty()) {
            statements.update(
                    PUT_OUT,
                    values(
                            now(),
                            numbers(statements, "outbox_position_seq", letters.size()),
                            SetAsideSql.ofDeadLetters(letters)));
        }
    }

    /** Inserts outputs, as one row. */
    public static void output(Statements statements, int relay, List<OutputSql.Owned> outputs)
            throws SQLException {
        if (!outputs.isEmpty()) {
            long position =
                    statements.one(NUMBERS.formatted("output_position"), row -> row.getLong(1), 1);
            statements.update(OUTPUT, values(OutputSql.values(relay, outputs), position, now()));
        }
    }

    /** Sets timers, and ends others. */
    public static void time(Statements statements, List<TimerSql.Owned> timers)
            throws SQLException {
        if (!timers.isEmpty()) {
            List<@Nullable Object> values = TimerSql.values(timers);
            statements.update(SET_TIMERS, values.subList(0, 9).toArray());
            statements.update(END_TIMERS, values.subList(9, 11).toArray());
        }
    }

    /** Inserts answers. */
    public static void reply(Statements statements, List<ReplySql.Owned> replies)
            throws SQLException {
        if (!replies.isEmpty()) {
            statements.update(REPLY, values(now(), ReplySql.values(replies)));
        }
    }

    private static BinaryArray numbers(Statements statements, String sequence, int count)
            throws SQLException {
        return BinaryArray.ofLongs(
                statements.list(NUMBERS.formatted(sequence), row -> row.getLong(1), count),
                it -> it);
    }

    /** The time of the transaction, as a value, which the server that is asked fills in. */
    public static PGobject now() throws SQLException {
        PGobject now = new PGobject();
        now.setType("timestamptz");
        now.setValue("now");
        return now;
    }

    /** Values one after the other, and those of lists. */
    private static @Nullable Object[] values(Object... each) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Object value : each) {
            if (value instanceof List<?> several) {
                values.addAll(several);
            } else {
                values.add(value);
            }
        }
        return values.toArray();
    }
}
