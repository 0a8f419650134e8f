package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.Purged;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Purges rows of deleted keys, which have only marks: rows that were not written for the retention
 * time, once each of their marks is at or below its source's checkpoint.
 *
 * <p>Purging a row loses its marks. So in the same transaction the highest purged mark of each
 * source is stored in {@code source}, and a load of a key without a row returns it as a mark.
 * Reading again, however far back, does not recreate a deleted key. Races are prevented by the
 * version (a row that was changed stays), by row locks (a row in use is left for the next walk),
 * and by the retention time, which must be longer than any process can hang with messages that it
 * has fetched.
 *
 * <p>Threads: one thread at a time; a lease allows one process at a time.
 */
final class DeletedRows implements DeletedKeys {

    private static final int PAGES = 128;
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration LONGEST_PAUSE = Duration.ofHours(12);

    private static final String TAKE =
            "UPDATE %s.purge SET taken_by = ?, taken_until = now() + ? * interval '1 second'"
                    + " WHERE (taken_by = ? OR taken_until < now()) AND begins_at <= now()"
                    + " RETURNING next_page";

    private static final String PAGES_OF_TABLE =
            "SELECT pg_catalog.pg_relation_size(?::regclass)"
                    + " / pg_catalog.current_setting('block_size')::bigint";

    /** Of the table there, which has another name; if it has no row, the walk is at its end. */
    private static final String PAGES_ON_WORKER =
            "SELECT pg_catalog.pg_relation_size(tableoid)"
                    + " / pg_catalog.current_setting('block_size')::bigint FROM %s.state LIMIT 1";

    private static final String FIND =
            "SELECT key, version, marks FROM %s.state WHERE ctid >= ?::tid AND ctid < ?::tid"
                    + " AND state IS NULL AND parked = 0"
                    + " AND updated_at < now() - ? * interval '1 second'";

    private static final String CHECKPOINTS =
            "SELECT source, min(next_offset) FROM %s.checkpoint WHERE slot = 0 GROUP BY source";

    private static final String DELETE =
            "WITH gone AS (DELETE FROM %1$s.state AS s USING (SELECT r.key FROM"
                    + " unnest(?::text[], ?::bigint[]) AS c(key, version)"
                    + " JOIN %1$s.state AS r ON r.key = c.key AND r.version = c.version"
                    + " FOR UPDATE OF r SKIP LOCKED) AS free WHERE s.key = free.key"
                    + " RETURNING s.key), timers AS (DELETE FROM %1$s.timer AS t USING gone"
                    + " WHERE t.key = gone.key) SELECT key FROM gone";

    private static final String REMEMBER =
            "UPDATE %s.source SET purged_below = ?, purged_epoch = ?"
                    + " WHERE number = ? AND purged_below < ?";

    private static final String MOVE_ON =
            "UPDATE %s.purge SET next_page = ?, begins_at = now() + ? * interval '1 second'";

    private static final String FORGET_REQUESTS =
            "DELETE FROM %s.request WHERE done_at < now() - ? * interval '1 second'";

    /**
     * Relays of processes that ended longer ago than the retention, and have nothing left: neither
     * rows, nor an open batch, nor relays that they serve. That of nobody stays. The day is for
     * those that have left, which are dated back by one.
     */
    private static final String FORGET_RELAYS =
            "DELETE FROM %1$s.relay AS r WHERE r.number <> 0 AND r.positions = '{}'"
                    + " AND r.seen_at < now() - interval '1 day' - ? * interval '1 second'"
                    + " AND NOT EXISTS (SELECT FROM %1$s.relay AS s WHERE s.served_by = r.number)"
                    + " AND (SELECT o.position FROM %1$s.output AS o WHERE o.relay = r.number"
                    + " ORDER BY o.position LIMIT 1) IS NULL";

    private record Candidate(String key, long version, Marks marks) {}

    private final Tables tables;
    private final PostgresSettings settings;
    private final String owner;
    private final Duration retention;
    private final Duration auditRetention;

    /**
     * @param owner the name under which the lease is taken
     * @param auditRetention how long the records of operators' requests stay
     */
    DeletedRows(
            Tables tables,
            PostgresSettings settings,
            String owner,
            Duration retention,
            Duration auditRetention) {
        this.tables = tables;
        this.settings = settings;
        this.owner = owner;
        this.retention = retention;
        this.auditRetention = auditRetention;
    }

    /** Purges the next slice of the table, in one short transaction. */
    @Override
    public Purged purgeSome() {
        return tables.transaction(
                null,
                (statements, life) -> {
                    Optional<Long> page =
                            statements.first(
                                    TAKE, row -> row.getLong(1), owner, LEASE.toSeconds(), owner);
                    return page.isEmpty() ? Purged.NOT_NOW : purge(statements, life, page.get());
                });
    }

    private Purged purge(Statements statements, ServerLife life, long page) throws SQLException {
        List<Candidate> candidates =
                statements.list(
                        FIND,
                        DeletedRows::candidate,
                        "(" + page + ",0)",
                        "(" + (page + PAGES) + ",0)",
                        retention.toSeconds());
        if (!candidates.isEmpty()) {
            Map<Integer, Long> checkpoints = new HashMap<>();
            statements.query(CHECKPOINTS, row -> checkpoints.put(row.getInt(1), row.getLong(2)));
            candidates.removeIf(it -> !isBelow(it.marks(), checkpoints));
        }
        int rows = candidates.isEmpty() ? 0 : delete(statements, candidates);
        String table = settings.quotedSchema() + ".state";
        long pages =
                life.isOnWorker()
                        ? statements.first(PAGES_ON_WORKER, row -> row.getLong(1)).orElse(0L)
                        : statements.one(PAGES_OF_TABLE, row -> row.getLong(1), table);
        boolean goesOn = page + PAGES < pages;
        if (!goesOn) {
            statements.update(FORGET_REQUESTS, auditRetention.toSeconds());
            statements.update(FORGET_RELAYS, retention.toSeconds());
        }
        Duration pause = retention.dividedBy(10);
        statements.update(
                MOVE_ON,
                goesOn ? page + PAGES : 0L,
                goesOn ? 0L : Math.min(pause.toSeconds(), LONGEST_PAUSE.toSeconds()));
        return new Purged(rows, goesOn);
    }

    private static Candidate candidate(ResultSet row) throws SQLException {
        return new Candidate(row.getString(1), row.getLong(2), Marks.parse(row.getString(3)));
    }

    /**
     * Whether all marks are at or below the checkpoints. Messages above a checkpoint are read again
     * without any rewind, so a mark there is still needed.
     */
    private static boolean isBelow(Marks marks, Map<Integer, Long> checkpoints) {
        boolean[] isBelow = {true};
        marks.forEach(
                (source, next) ->
                        isBelow[0] &= next.offset() <= checkpoints.getOrDefault(source, -1L));
        return isBelow[0];
    }

    private static int delete(Statements statements, List<Candidate> candidates)
            throws SQLException {
        Set<String> gone =
                Set.copyOf(
                        statements.list(
                                DELETE,
                                row -> row.getString(1),
                                BinaryArray.ofTexts(candidates, Candidate::key),
                                BinaryArray.ofLongs(candidates, Candidate::version)));
        Map<Integer, NextOffset> highest = new HashMap<>();
        for (Candidate candidate : candidates) {
            if (gone.contains(candidate.key())) {
                candidate.marks().forEach((source, next) -> raise(highest, source, next));
            }
        }
        for (Map.Entry<Integer, NextOffset> entry : highest.entrySet()) {
            NextOffset next = entry.getValue();
            statements.update(
                    REMEMBER, next.offset(), next.leaderEpoch(), entry.getKey(), next.offset());
        }
        return gone.size();
    }

    private static void raise(Map<Integer, NextOffset> highest, int source, NextOffset next) {
        highest.merge(source, next, (a, b) -> a.compareTo(b) >= 0 ? a : b);
    }
}
