package dev.envelope.idempotency.store.postgres.reply;

import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The answers to commands in Postgres. They are looked for on connections of their own, so that
 * nobody waits for an answer behind a purge.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
public final class PostgresReplyStore implements ReplyStore {

    static final String FIND =
            "SELECT r.key, r.command, r.disposition, r.reason, r.value, r.is_state, r.version,"
                    + " s.topic, coalesce(s.partition, -1), r.record_offset, r.made_at"
                    + " FROM (SELECT f.*, coalesce(sum(octet_length(f.value)) OVER (ROWS BETWEEN"
                    + " UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before"
                    + " FROM unnest(?::text[], ?::text[]) AS c(key, command)"
                    + " JOIN %1$s.reply AS f ON f.key = c.key AND f.command = c.command) AS r"
                    + " LEFT JOIN %1$s.source AS s ON s.number = r.source WHERE r.before < "
                    + MOST_BYTES;

    static final String FORGET =
            "DELETE FROM %1$s.reply AS r USING (SELECT key, command FROM %1$s.reply"
                    + " WHERE made_at < now() - ? * interval '1 millisecond' ORDER BY made_at"
                    + " LIMIT ? FOR UPDATE SKIP LOCKED) AS old"
                    + " WHERE r.key = old.key AND r.command = old.command";

    private final Tables callers;
    private final Tables background;

    /**
     * @param callers for what callers wait for
     * @param background for the purge
     */
    public PostgresReplyStore(Tables callers, Tables background) {
        this.callers = callers;
        this.background = background;
    }

    @Override
    public Map<CommandId, Answer> find(Collection<CommandId> ids) {
        List<CommandId> asked = List.copyOf(ids);
        return callers.call(
                null,
                (statements, life) -> {
                    Map<CommandId, Answer> found = new HashMap<>();
                    statements.query(
                            FIND,
                            row ->
                                    found.put(
                                            new CommandId(row.getString(1), row.getString(2)),
                                            answer(row)),
                            BinaryArray.ofTexts(asked, CommandId::key),
                            BinaryArray.ofTexts(asked, CommandId::command));
                    return found;
                });
    }

    private static Answer answer(ResultSet row) throws SQLException {
        return new Answer(
                Reply.Result.of(row.getString(3)),
                row.getString(4),
                row.getBytes(5),
                row.getBoolean(6),
                row.getLong(7),
                row.getString(8),
                row.getInt(9),
                row.getLong(10),
                row.getObject(11, OffsetDateTime.class).toInstant());
    }

    @Override
    public int forget(Duration age, int most) {
        return background.update(FORGET, age.toMillis(), most);
    }
}
