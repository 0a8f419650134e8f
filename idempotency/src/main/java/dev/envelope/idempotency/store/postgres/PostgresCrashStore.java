package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.table.TableRow;
import java.util.Collection;
import java.util.List;

/**
 * The table {@code crash}: messages that were being folded when processes died.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresCrashStore implements CrashStore {

    /** Also deletes messages below a checkpoint, which are done. */
    private static final String SUSPECTS =
            "WITH done AS (DELETE FROM %1$s.crash AS k USING %1$s.checkpoint AS c"
                    + " WHERE c.source = k.source AND c.slot = 0"
                    + " AND k.record_offset < c.next_offset)"
                    + " SELECT source, record_offset, times FROM %1$s.crash";

    private static final String COUNT =
            "INSERT INTO %1$s.crash AS k (source, record_offset, row_key, times, instance)"
                    + " SELECT n.source, n.record_offset, n.row_key, 1, ?"
                    + " FROM unnest(?::int[], ?::bigint[], ?::text[])"
                    + " AS n(source, record_offset, row_key)"
                    + " ON CONFLICT (source, record_offset) DO UPDATE SET times = k.times + 1,"
                    + " instance = EXCLUDED.instance, died_at = EXCLUDED.died_at";

    private static final String COUNT_UP_TO =
            "INSERT INTO %1$s.crash AS k (source, record_offset, row_key, times, instance)"
                    + " VALUES (?, ?, ?, ?, ?)"
                    + " ON CONFLICT (source, record_offset) DO UPDATE"
                    + " SET times = greatest(k.times, EXCLUDED.times),"
                    + " instance = EXCLUDED.instance, died_at = EXCLUDED.died_at";

    private static final String FORGET =
            "DELETE FROM %1$s.crash WHERE source = ? AND record_offset = ?";

    private final Tables tables;
    private final String instance;

    PostgresCrashStore(Tables tables, String instance) {
        this.tables = tables;
        this.instance = instance;
    }

    @Override
    public List<Suspect> suspects() {
        return tables.list(
                SUSPECTS, row -> new Suspect(row.getInt(1), row.getLong(2), row.getInt(3)));
    }

    @Override
    public void count(Collection<Message> messages) {
        List<Message> each = List.copyOf(messages);
        tables.call(
                null,
                (statements, life) ->
                        statements.update(
                                COUNT,
                                instance,
                                BinaryArray.ofInts(each, it -> it.epoch().source()),
                                BinaryArray.ofLongs(each, TableRow::placeOf),
                                BinaryArray.ofTexts(each, Message::key)));
    }

    @Override
    public void countUpTo(Message message, int times) {
        tables.update(
                COUNT_UP_TO,
                message.epoch().source(),
                TableRow.placeOf(message),
                message.key(),
                times,
                instance);
    }

    @Override
    public void forget(Message message) {
        tables.update(FORGET, message.epoch().source(), TableRow.placeOf(message));
    }
}
