package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.postgres.output.RelayNumber;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.OutputSql;
import dev.envelope.idempotency.store.postgres.sql.ParkedSql;
import dev.envelope.idempotency.store.postgres.sql.ReplySql;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.postgres.sql.TimerSql;
import dev.envelope.idempotency.store.postgres.sql.WorkerSql;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Parked messages in Postgres.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresParkedStore implements ParkedStore {

    static final int MOST_BYTES_NAMED = 256 << 20;

    private static final String FIRST =
            ParkedSql.first(
                    "p.position, s.topic, s.partition, p.source, p.record_offset, p.leader_epoch,"
                            + " p.record_timestamp, p.key, p.value, p.headers",
                    "row_key = ?");

    /** Limited by bytes, since deleting takes time in proportion. Values are not read. */
    private static final String POSITIONS =
            "SELECT position FROM (SELECT position, bytes, sum(bytes) OVER (ORDER BY position"
                    + " ROWS UNBOUNDED PRECEDING) AS bytes_up_to_it FROM (SELECT position,"
                    + " coalesce(octet_length(value), 0) AS bytes FROM %1$s.parked"
                    + " WHERE row_key = ? AND position <= ? ORDER BY position LIMIT ?) AS f) AS p"
                    + " WHERE bytes_up_to_it <= "
                    + MOST_BYTES_NAMED
                    + " OR bytes_up_to_it = bytes ORDER BY position";

    /** One statement for both, so that nothing is parked in between. */
    private static final String UNCOUNTED =
            "SELECT (SELECT count(*) FROM %1$s.parked WHERE row_key = ?)"
                    + " - coalesce((SELECT parked FROM %1$s.state WHERE key = ?), 0)";

    /** The last message of each source, and the number of messages of that source. */
    private static final String LAST =
            "SELECT DISTINCT ON (source) source, record_offset, leader_epoch,"
                    + " count(*) OVER (PARTITION BY source) FROM %1$s.parked WHERE row_key = ?"
                    + " ORDER BY source, record_offset DESC, leader_epoch DESC";

    private static final String WITHOUT_PARKED =
            ", gone AS (DELETE FROM %1$s.parked WHERE position = ANY (?::bigint[])"
                    + " AND EXISTS (SELECT FROM saved) RETURNING source, row_key, position), "
                    + ParkedSql.TALLY_OF_GONE
                    + ParkedRowSave.SAVED;

    private static final String FAILED_AGAIN =
            "UPDATE %1$s.parked SET reason = ?, error = ?, attempts = attempts + 1,"
                    + " failed_at = now() WHERE position = ? AND EXISTS ("
                    + ParkedRowSave.IS_OURS
                    + ")";

    private static final String REPLACEMENTS =
            "SELECT source, record_offset, leader_epoch, value FROM %1$s.replacement";

    private final Tables tables;
    private final ParkedRowSave rows;
    private final RelayNumber relay;
    private final String taker;

    /**
     * @param taker the name under which this process takes requests
     */
    PostgresParkedStore(Tables tables, RelayNumber relay, String taker) {
        this.tables = tables;
        this.relay = relay;
        this.taker = taker;
        this.rows = new ParkedRowSave(tables, taker);
    }

    @Override
    public Snapshot rowOfParked(String key) {
        return tables.call(
                null,
                (statements, life) -> {
                    Marks marks = Marks.NONE;
                    int count = 0;
                    for (Last last : statements.list(LAST, Last::of, key)) {
                        marks = marks.advance(last.source(), last.next());
                        count += last.count();
                    }
                    return new Snapshot(key, Snapshot.ABSENT, null, marks, null, count);
                });
    }

    /** The next offset after the last parked message of a source, and the number of them. */
    private record Last(int source, NextOffset next, int count) {

        static Last of(ResultSet row) throws SQLException {
            NextOffset next = NextOffset.after(row.getLong(2), row.getInt(3));
            return new Last(row.getInt(1), next, row.getInt(4));
        }
    }

    @Override
    public int uncounted(String key) {
        return tables.one(UNCOUNTED, row -> row.getInt(1), key, key);
    }

    @Override
    public List<Parked> first(String key, int most) {
        return tables.call(
                null,
                (statements, life) ->
                        statements.list(FIRST, row -> parked(key, row, life), key, most));
    }

    @Override
    public List<Long> positions(String key, long last, int most) {
        return tables.list(POSITIONS, row -> row.getLong(1), key, last, most);
    }

    private static Parked parked(String key, ResultSet row, ServerLife life) throws SQLException {
        TopicPartition partition = new TopicPartition(row.getString(2), row.getInt(3));
        Message message =
                Message.setAside(
                        new PartitionEpoch(0, partition, row.getInt(4), life.incarnation()),
                        key,
                        row.getLong(5),
                        row.getInt(6),
                        new Message.Content(
                                row.getLong(7),
                                row.getBytes(8),
                                row.getBytes(9),
                                HeadersJson.read(row.getBytes(10))));
        return new Parked(row.getLong(1), message);
    }

    @Override
    public boolean save(
            Request request,
            Snapshot next,
            List<Long> positions,
            HandlerEffects effects,
            Incarnation incarnation) {
        BinaryArray gone = BinaryArray.ofLongs(positions, position -> position);
        if (effects.isNothing()) {
            return rows.save(
                    request,
                    WITHOUT_PARKED,
                    next,
                    positions,
                    life -> List.of(gone),
                    (statements, life) -> WorkerSql.unpark(statements, positions),
                    incarnation);
        }
        return rows.save(
                request,
                parts(effects) + WITHOUT_PARKED,
                next,
                positions,
                life -> {
                    List<@Nullable Object> values = values(next, effects, life);
                    values.add(gone);
                    return values;
                },
                (statements, life) -> {
                    int number = relay.in(life.incarnation());
                    WorkerSql.output(statements, number, outputs(next.key(), effects));
                    WorkerSql.time(statements, timers(next.key(), effects));
                    WorkerSql.reply(statements, replies(next, effects));
                    WorkerSql.unpark(statements, positions);
                },
                incarnation);
    }

    /** The parts of the statement that save effects. */
    private static String parts(HandlerEffects effects) {
        String saved = "saved";
        StringBuilder parts = new StringBuilder();
        if (!effects.outputs().isEmpty()) {
            parts.append(", ").append(OutputSql.ofAllIf("EXISTS (SELECT FROM saved)"));
        }
        if (!effects.timers().isEmpty()) {
            parts.append(", ").append(TimerSql.part("%1$s", saved));
        }
        if (!effects.replies().isEmpty()) {
            parts.append(", ").append(ReplySql.part("%1$s", saved));
        }
        return parts.toString();
    }

    private List<@Nullable Object> values(Snapshot row, HandlerEffects effects, ServerLife life)
            throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        if (!effects.outputs().isEmpty()) {
            int number = relay.in(life.incarnation());
            values.addAll(OutputSql.values(number, outputs(row.key(), effects)));
        }
        if (!effects.timers().isEmpty()) {
            values.addAll(TimerSql.values(timers(row.key(), effects)));
        }
        if (!effects.replies().isEmpty()) {
            values.addAll(ReplySql.values(replies(row, effects)));
        }
        return values;
    }

    private static List<OutputSql.Owned> outputs(String key, HandlerEffects effects) {
        return effects.outputs().stream().map(each -> new OutputSql.Owned(key, each)).toList();
    }

    private static List<TimerSql.Owned> timers(String key, HandlerEffects effects) {
        return effects.timers().stream().map(each -> new TimerSql.Owned(key, each)).toList();
    }

    private static List<ReplySql.Owned> replies(Snapshot row, HandlerEffects effects) {
        byte @Nullable [] state = effects.stateAsAnswer(row.state());
        return effects.replies().stream()
                .map(each -> new ReplySql.Owned(row.key(), state, row.version(), each))
                .toList();
    }

    @Override
    public void failedAgain(Request request, long position, String reason, String error) {
        tables.update(
                FAILED_AGAIN,
                reason,
                HeadersJson.legible(error),
                position,
                request.number(),
                taker);
    }

    @Override
    public List<Replacement> replacements() {
        return tables.list(
                REPLACEMENTS,
                row ->
                        new Replacement(
                                row.getInt(1), row.getLong(2), row.getInt(3), row.getBytes(4)));
    }
}
