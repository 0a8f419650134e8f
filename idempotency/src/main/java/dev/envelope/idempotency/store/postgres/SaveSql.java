package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.postgres.sql.OutputSql;
import dev.envelope.idempotency.store.postgres.sql.ParkedSql;
import dev.envelope.idempotency.store.postgres.sql.ReplySql;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.postgres.sql.TimerSql;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of the statement that saves a batch. Each combination of contents is a statement of its
 * own, so that the common ones are simple and cheap.
 *
 * <p>The parameters are, in this order: for updates: keys, versions, states, marks, ids, if there
 * are parked messages their number per row, start of the server; for inserts: keys, states, marks,
 * ids, if there are parked messages their number per row, start; for the rows of a table that are
 * done theirs; for parked messages: the instance, the keys of their changes, their columns, if
 * there are rows of a table their ids, start; for the outbox: the keys of the changes, its columns,
 * start; for outputs the values of {@link OutputSql#OF_WINNERS}, for timers and replies theirs;
 * last the number of rows. The result is one row: start of the server, number of saved rows and, if
 * not all were saved, the keys of those that were.
 */
public record SaveSql(
        boolean updates,
        boolean inserts,
        boolean parked,
        boolean deadLetters,
        boolean outputs,
        boolean timers,
        boolean replies,
        @Nullable TableSql table,
        boolean skipLocked) {

    private static final String MATCHES = "s.key = c.key AND s.version = c.version";

    String text(String schema) {
        List<String> parts = new ArrayList<>();
        List<String> winners = new ArrayList<>();
        if (updates) {
            parts.add((skipLocked ? updateOfFreeRows() : update()).formatted(schema, schema));
            winners.add("SELECT key FROM updated");
        }
        if (inserts) {
            parts.add(insert().formatted(schema));
            winners.add("SELECT key FROM inserted");
        }
        parts.add(
                "won AS ("
                        + (winners.isEmpty()
                                ? "SELECT NULL::text AS key WHERE false"
                                : String.join(" UNION ALL ", winners))
                        + ")");
        if (table != null) {
            parts.add(table.part("won"));
        }
        if (parked) {
            parts.add(park().formatted(schema));
        }
        if (deadLetters) {
            parts.add(putOut().formatted(schema));
        }
        if (outputs) { // of won rows alone, and so only on the expected server
            parts.add(OutputSql.OF_WINNERS.formatted(schema));
        }
        if (timers) {
            parts.add(TimerSql.part(schema, "won"));
        }
        if (replies) {
            parts.add(ReplySql.part(schema, "won"));
        }
        return "WITH "
                + String.join(", ", parts)
                + " SELECT "
                + ServerLife.START_MICROS
                + ", count(*), CASE WHEN count(*) < ? THEN array_agg(key) END"
                + (table == null ? "" : ", " + TableSql.DONE)
                + " FROM won";
    }

    private String updated() {
        return "(UPDATE %s.state AS s SET state = c.state, version = c.version + 1,"
                + " marks = c.marks, ids = c.ids, updated_at = now()"
                + (parked ? ", parked = s.parked + c.parked" : "")
                + " FROM ";
    }

    private String unnestedUpdates() {
        return parked
                ? "unnest(?::text[], ?::bigint[], ?::json[], ?::text[], ?::bytea[], ?::int[])"
                        + " AS c(key, version, state, marks, ids, parked)"
                : "unnest(?::text[], ?::bigint[], ?::json[], ?::text[], ?::bytea[])"
                        + " AS c(key, version, state, marks, ids)";
    }

    private String update() {
        return "updated AS "
                + updated()
                + unnestedUpdates()
                + " WHERE "
                + MATCHES
                + onThisServer()
                + " RETURNING s.key)";
    }

    private String updateOfFreeRows() {
        return "free AS MATERIALIZED (SELECT c.* FROM "
                + unnestedUpdates()
                + " JOIN %s.state AS s ON "
                + MATCHES
                + " WHERE true"
                + onThisServer()
                + " FOR NO KEY UPDATE OF s SKIP LOCKED), updated AS "
                + updated()
                + "free AS c WHERE "
                + MATCHES
                + " RETURNING s.key)";
    }

    private String insert() {
        return "inserted AS ("
                + insertion(parked ? "state, marks, ids, parked" : "state, marks, ids", parked)
                + " ON CONFLICT (key) DO NOTHING RETURNING key)";
    }

    /**
     * Inserts rows that are expected to be new; fails if one exists already. Inserts none if the
     * server is not the expected one.
     */
    static String ofNewRows(String schema) {
        return insertion("state, marks, ids", false).formatted(schema);
    }

    /**
     * The same with outputs; its values and the number of rows follow those of the rows. The result
     * is one row: start of the server, number of saved rows.
     */
    static String ofNewRowsWithOutputs(String schema) {
        return "WITH inserted AS (%s RETURNING 1), %s SELECT %s, count(*) FROM inserted"
                .formatted(
                        ofNewRows(schema),
                        OutputSql.ofAllIf("(SELECT count(*) FROM inserted) = ?").formatted(schema),
                        ServerLife.START_MICROS);
    }

    private static String insertion(String columns, boolean parked) {
        return "INSERT INTO %s.state (key, version, "
                + columns
                + ") SELECT c.key, 1, c."
                + columns.replace(", ", ", c.")
                + " FROM unnest(?::text[], ?::json[], ?::text[], ?::bytea[]"
                + (parked ? ", ?::int[]" : "")
                + ") AS c(key, "
                + columns
                + ") WHERE true"
                + onThisServer();
    }

    /**
     * Parks only messages of rows that were saved. Messages without a row are parked unless they
     * are below the checkpoint or in {@code dropped}, where a deleted one stays until the
     * checkpoint has passed it; those that are rows of a table, if these were not done before.
     */
    private String park() {
        boolean hasRows = table != null;
        return "parked AS (INSERT INTO %1$s.parked (row_key, source, record_offset, leader_epoch,"
                + " record_timestamp, key, value, headers, reason, error, attempts, instance)"
                + " SELECT m.row_key, m.source, m.record_offset, m.leader_epoch,"
                + " m.record_timestamp, m.key, m.value, m.headers, m.reason, m.error,"
                + " m.attempts, ? FROM unnest("
                + String.join(
                        ", ",
                        "?::text[]",
                        "?::text[]",
                        "?::int[]",
                        "?::bigint[]",
                        "?::int[]",
                        "?::bigint[]",
                        "?::bytea[]",
                        "?::bytea[]",
                        "?::json[]",
                        "?::text[]",
                        "?::text[]",
                        "?::int[]")
                + (hasRows ? ", ?::text[]" : "")
                + ") WITH ORDINALITY AS m(owner, row_key, source, record_offset, leader_epoch,"
                + " record_timestamp, key, value, headers, reason, error, attempts"
                + (hasRows ? ", envelope_row" : "")
                + ", position) WHERE (m.owner IN (SELECT key FROM won) OR (m.owner IS NULL AND "
                + (hasRows
                        ? "m.envelope_row IN (SELECT envelope_row FROM taken)) OR"
                                + " (m.owner IS NULL AND m.envelope_row IS NULL AND "
                        : "")
                + "NOT EXISTS"
                + " (SELECT FROM %1$s.dropped AS d WHERE d.source = m.source"
                + " AND d.record_offset = m.record_offset AND d.leader_epoch = m.leader_epoch)"
                + " AND NOT "
                + ParkedSql.isPassed("m")
                + "))"
                + onThisServer()
                + " ORDER BY m.position ON CONFLICT (source, record_offset, leader_epoch)"
                + " DO NOTHING RETURNING source, row_key), "
                + ParkedSql.TALLY_OF_PARKED;
    }

    /** The same for records of the outbox. What is sent has no row there any more. */
    private static String putOut() {
        return "put_out AS (INSERT INTO %s.outbox (topic, key, value, headers, source,"
                + " record_offset, leader_epoch, ordinal) SELECT m.topic, m.key, m.value, m.headers,"
                + " m.source, m.record_offset, m.leader_epoch, m.ordinal FROM unnest("
                + String.join(
                        ", ",
                        "?::text[]",
                        "?::text[]",
                        "?::bytea[]",
                        "?::bytea[]",
                        "?::json[]",
                        "?::int[]",
                        "?::bigint[]",
                        "?::int[]",
                        "?::int[]")
                + ") WITH ORDINALITY AS m(owner, topic, key, value, headers, source, record_offset,"
                + " leader_epoch, ordinal, position)"
                + " WHERE (m.owner IN (SELECT key FROM won) OR (m.owner IS NULL AND NOT "
                + ParkedSql.isPassed("m")
                + "))"
                + onThisServer()
                + " ORDER BY m.position ON CONFLICT (source, record_offset, leader_epoch,"
                + " ordinal) DO NOTHING)";
    }

    private static String onThisServer() {
        return " AND " + ServerLife.START_MICROS + " = ?";
    }
}
