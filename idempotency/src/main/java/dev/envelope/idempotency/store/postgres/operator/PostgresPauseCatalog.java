package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Pauses.Pause;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Pauses, read and changed on one connection. Threads: one thread. */
public final class PostgresPauseCatalog implements PauseCatalog {

    private static final String STANDS = "(until IS NULL OR until > now())";

    /** Without LIMIT: two pauses at the same time may exceed {@link #MOST}, and both count. */
    public static final String ALL =
            "SELECT kind, name, paused_by, paused_at, until FROM %1$s.paused WHERE "
                    + STANDS
                    + " ORDER BY paused_at, kind, name";

    private static final String FORGET =
            "WITH gone AS (DELETE FROM %1$s.paused WHERE NOT "
                    + STANDS
                    + " RETURNING 1) SELECT count(*) FROM gone";

    private static final String MAY_PAUSE =
            "SELECT q.kind = 'key' OR EXISTS (SELECT FROM %1$s.source AS s"
                    + " WHERE s.topic || '-' || s.partition = q.name),"
                    + " (SELECT count(*) FROM %1$s.paused AS p"
                    + " WHERE (p.kind, p.name) <> (q.kind, q.name)) < "
                    + MOST
                    + " FROM (SELECT ?::text AS kind, ?::text AS name) AS q";

    private static final String PAUSE =
            "WITH held AS (INSERT INTO %1$s.paused (kind, name, paused_by, until)"
                    + " VALUES (?, ?, ?, now() + ?::bigint * interval '1 ms')"
                    + " ON CONFLICT (kind, name) DO UPDATE SET paused_by = excluded.paused_by,"
                    + " paused_at = excluded.paused_at, until = excluded.until RETURNING *)"
                    + " INSERT INTO %1$s.request (row_key, action, requested_by, done_at, answer)"
                    + " SELECT name, 'pause ' || kind, paused_by, now(), coalesce('until ' || until,"
                    + " 'until it is resumed') FROM held RETURNING 1";

    private static final String RESUME =
            "WITH gone AS (DELETE FROM %1$s.paused WHERE kind = ? AND name = ? RETURNING *),"
                    + " noted AS (INSERT INTO %1$s.request"
                    + " (row_key, action, requested_by, done_at, answer)"
                    + " SELECT name, 'resume ' || kind, ?, now(), 'paused by ' || paused_by FROM gone)"
                    + " SELECT count(*) FROM gone WHERE "
                    + STANDS;

    private static final String IS_PAUSED =
            "SELECT EXISTS (SELECT FROM %1$s.paused WHERE kind = ? AND name = ? AND "
                    + STANDS
                    + ")";

    private final OperatorConnection connection;

    PostgresPauseCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    @Override
    public Answer pause(Kind kind, String name, Optional<Duration> time, String by) {
        connection.query(FORGET, row -> {});
        List<Answer> answers = new ArrayList<>();
        connection.query(MAY_PAUSE, row -> answers.add(answer(row)), word(kind), name);
        if (answers.get(0) == Answer.PAUSED) {
            @Nullable Long millis = time.map(Duration::toMillis).orElse(null);
            connection.query(PAUSE, row -> {}, word(kind), name, by, millis);
        }
        return answers.get(0);
    }

    private static Answer answer(ResultSet row) throws SQLException {
        if (!row.getBoolean(1)) {
            return Answer.NO_SUCH_PARTITION;
        }
        return row.getBoolean(2) ? Answer.PAUSED : Answer.TOO_MANY;
    }

    @Override
    public boolean resume(Kind kind, String name, String by) {
        List<Long> resumed = new ArrayList<>();
        connection.query(RESUME, row -> resumed.add(row.getLong(1)), word(kind), name, by);
        return resumed.get(0) > 0;
    }

    @Override
    public boolean isPaused(Kind kind, String name) {
        List<Boolean> answers = new ArrayList<>();
        connection.query(IS_PAUSED, row -> answers.add(row.getBoolean(1)), word(kind), name);
        return answers.get(0);
    }

    @Override
    public Pauses all() {
        List<Pause> all = new ArrayList<>();
        connection.query(ALL, row -> all.add(pause(row)));
        return new Pauses(all);
    }

    public static Pause pause(ResultSet row) throws SQLException {
        @Nullable Timestamp until = row.getTimestamp(5);
        return new Pause(
                Kind.valueOf(row.getString(1).toUpperCase(Locale.ROOT)),
                row.getString(2),
                row.getString(3),
                row.getTimestamp(4).toInstant(),
                until == null ? null : until.toInstant());
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        connection.close();
    }
}
