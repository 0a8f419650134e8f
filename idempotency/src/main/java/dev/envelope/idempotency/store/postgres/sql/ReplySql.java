package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SQL for the answers that a save inserts into the table {@code reply}: a part of its statement,
 * and its values. Which answer to a command stays is as {@link Reply#stays} has it.
 */
public final class ReplySql {

    /** What becomes of a second answer. */
    static final String WHICH_STAYS =
            " ON CONFLICT (key, command) DO UPDATE SET"
                    + " disposition = EXCLUDED.disposition, reason = EXCLUDED.reason,"
                    + " value = EXCLUDED.value, is_state = EXCLUDED.is_state,"
                    + " version = EXCLUDED.version, source = EXCLUDED.source,"
                    + " record_offset = EXCLUDED.record_offset, made_at = EXCLUDED.made_at"
                    + " WHERE EXCLUDED.disposition = 'applied'"
                    + " OR EXCLUDED.disposition = ANY (CASE r.disposition"
                    + " WHEN 'parked' THEN '{put out,duplicate}'::text[]"
                    + " WHEN 'put out' THEN '{duplicate}'::text[] END)";

    /** The comparison with NULL, which a key never is, is for the planner: see OutputSql. */
    private static final String PART =
            "replied AS (INSERT INTO %1$s.reply AS r (key, command, disposition, reason, value,"
                    + " is_state, version, source, record_offset) SELECT m.key, m.command,"
                    + " m.disposition, m.reason, m.value, m.is_state = 1, m.version, m.source,"
                    + " m.record_offset FROM unnest(?::text[], ?::text[], ?::text[], ?::text[],"
                    + " ?::bytea[], ?::int[], ?::bigint[], ?::int[], ?::bigint[]) AS m(key,"
                    + " command, disposition, reason, value, is_state, version, source,"
                    + " record_offset) WHERE (m.key IS NULL OR m.key IN (SELECT key FROM %2$s))"
                    + WHICH_STAYS
                    + ")";

    /**
     * An answer, and the row that was saved with it.
     *
     * @param owner the row's key
     * @param state of the row after the save; null if it has none, or it is too large to be copied
     * @param version of the row after the save
     */
    public record Owned(String owner, byte @Nullable [] state, long version, Reply reply) {

        /** Whether the state stands for the answer. */
        private boolean isState() {
            return reply.value() == null
                    && (reply.result() == Result.APPLIED || reply.result() == Result.DUPLICATE);
        }

        private byte @Nullable [] value() {
            return isState() ? state : reply.value();
        }
    }

    private ReplySql() {}

    /**
     * The part of the statement.
     *
     * @param saved the name of a CTE with the keys that were saved
     */
    public static String part(String schema, String saved) {
        return PART.formatted(schema, saved);
    }

    /** Its values. */
    public static List<@Nullable Object> values(List<Owned> replies) throws SQLException {
        return new ArrayList<>(
                Arrays.asList(
                        BinaryArray.ofTexts(replies, Owned::owner),
                        BinaryArray.ofTexts(replies, it -> it.reply.command()),
                        BinaryArray.ofTexts(replies, it -> it.reply.result().text()),
                        BinaryArray.ofTexts(replies, it -> legible(it.reply.reason())),
                        BinaryArray.ofBytes(replies, Owned::value),
                        BinaryArray.ofInts(replies, it -> it.isState() ? 1 : 0),
                        BinaryArray.ofLongs(replies, Owned::version),
                        BinaryArray.ofInts(replies, it -> it.reply.origin().epoch().source()),
                        BinaryArray.ofLongs(replies, it -> it.reply.origin().offset())));
    }

    private static @Nullable String legible(@Nullable String text) {
        return text == null ? null : HeadersJson.legible(text);
    }
}
