package dev.envelope.idempotency.store.postgres.timer;

import static java.time.temporal.ChronoUnit.MICROS;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.postgres.output.RelayNumber;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.OutputSql;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.postgres.sql.WorkerSql;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Timers in Postgres. A timer that a save is just changing is passed over: the save ends it, or
 * sets it to another time.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
public final class PostgresTimerStore implements TimerStore {

    private static final String OWNED =
            "(SELECT s.number, s.topic, s.partition FROM unnest(?::text[], ?::int[]) AS o(topic,"
                    + " partition) JOIN %1$s.source AS s ON s.topic = o.topic"
                    + " AND s.partition = o.partition) AS o";

    /** The first of each source, so that its index gives them in order. */
    private static final String DUE =
            "SELECT t.key, t.name, octet_length(t.payload) FROM "
                    + OWNED
                    + " CROSS JOIN LATERAL (SELECT t.key, t.name, t.due_at, t.payload"
                    + " FROM %1$s.timer AS t"
                    + " WHERE t.source = o.number AND t.fired_at IS NULL AND t.due_at <= now()"
                    + " ORDER BY t.due_at LIMIT ?) AS t ORDER BY t.due_at LIMIT ?";

    private static final String FIRE =
            "WITH free AS MATERIALIZED (SELECT t.key, t.name FROM unnest(?::text[], ?::text[])"
                    + " AS m(key, name) JOIN %1$s.timer AS t ON t.key = m.key AND t.name = m.name"
                    + " WHERE t.fired_at IS NULL AND t.due_at <= now()"
                    + " FOR UPDATE OF t SKIP LOCKED), fired AS (UPDATE %1$s.timer AS t"
                    + " SET fired_at = now() FROM free WHERE t.key = free.key"
                    + " AND t.name = free.name RETURNING t.*) SELECT f.key, f.name, f.payload,"
                    + " f.record_key, f.source, f.record_offset, f.leader_epoch, f.ordinal,"
                    + " s.topic, s.partition, f.due_at FROM fired AS f"
                    + " JOIN %1$s.source AS s ON s.number = f.source";

    private static final String PUT = "WITH " + OutputSql.ofAllIf("true") + " SELECT 1";

    private static final String NEXT =
            "SELECT (extract(epoch FROM min(t.due_at) - clock_timestamp()) * 1000000)::bigint FROM "
                    + OWNED
                    + " CROSS JOIN LATERAL (SELECT t.due_at FROM %1$s.timer AS t"
                    + " WHERE t.source = o.number AND t.fired_at IS NULL"
                    + " ORDER BY t.due_at LIMIT 1) AS t";

    private final Tables tables;
    private final RelayNumber relay;

    /**
     * @param relay the number that is written on firings
     */
    public PostgresTimerStore(Tables tables, RelayNumber relay) {
        this.tables = tables;
        this.relay = relay;
    }

    private record Found(String key, String name, long bytes) {}

    /** A firing as it is read, before its output is made. */
    private record Fired(long dueMicros, String key, Output output) {}

    @Override
    public Look fire(Collection<TopicPartition> owned, int most) {
        List<TopicPartition> all = List.copyOf(owned);
        return tables.transaction(
                null,
                (statements, life) -> {
                    BinaryArray topics = BinaryArray.ofTexts(all, TopicPartition::topic);
                    BinaryArray partitions = BinaryArray.ofInts(all, TopicPartition::partition);
                    List<Found> due =
                            statements.list(
                                    DUE,
                                    row ->
                                            new Found(
                                                    row.getString(1),
                                                    row.getString(2),
                                                    row.getLong(3)),
                                    topics,
                                    partitions,
                                    most,
                                    most);
                    List<Output> firings = List.of();
                    for (int tried = 0; firings.isEmpty() && tried < due.size(); ) {
                        List<Found> some = first(due.subList(tried, due.size()));
                        firings = fire(some, statements, life); // none if all are locked
                        tried += some.size();
                    }
                    Optional<Duration> next =
                            statements.one(NEXT, PostgresTimerStore::next, topics, partitions);
                    return new Look(firings, next.orElse(null));
                });
    }

    /** As many as fire at once. */
    private static List<Found> first(List<Found> due) {
        long bytes = due.get(0).bytes();
        int count = 1;
        while (count < due.size() && bytes + due.get(count).bytes() <= BYTES_AT_ONCE) {
            bytes += due.get(count).bytes();
            count++;
        }
        return due.subList(0, count);
    }

    private static Optional<Duration> next(ResultSet row) throws SQLException {
        long micros = row.getLong(1);
        return row.wasNull() ? Optional.empty() : Optional.of(Duration.of(micros, MICROS));
    }

    private List<Output> fire(List<Found> due, Statements statements, ServerLife life)
            throws SQLException {
        List<Fired> fired =
                statements
                        .list(
                                FIRE,
                                row -> fired(row, life),
                                BinaryArray.ofTexts(due, Found::key),
                                BinaryArray.ofTexts(due, Found::name))
                        .stream()
                        .sorted(Comparator.comparingLong(Fired::dueMicros))
                        .toList();
        if (!fired.isEmpty()) {
            List<OutputSql.Owned> owned =
                    fired.stream().map(it -> new OutputSql.Owned(it.key, it.output)).toList();
            int number = relay.in(life.incarnation());
            if (life.isOnWorker()) {
                WorkerSql.output(statements, number, owned);
            } else {
                statements.one(PUT, row -> 1, OutputSql.values(number, owned).toArray());
            }
        }
        return fired.stream().map(Fired::output).toList();
    }

    private static Fired fired(ResultSet row, ServerLife life) throws SQLException {
        String key = row.getString(1);
        String name = row.getString(2);
        byte[] payload = row.getBytes(3);
        byte @Nullable [] recordKey = row.getBytes(4);
        int source = row.getInt(5);
        long offset = row.getLong(6);
        int leaderEpoch = row.getInt(7);
        int ordinal = row.getInt(8);
        TopicPartition partition = new TopicPartition(row.getString(9), row.getInt(10));
        Message origin =
                Message.setAside(
                        new PartitionEpoch(0, partition, source, life.incarnation()),
                        key,
                        offset,
                        leaderEpoch,
                        new Message.Content(0, recordKey, payload, new RecordHeaders()));
        Headers headers =
                new RecordHeaders()
                        .add(Firing.NAME, utf8(name))
                        .add(
                                Firing.GENERATION,
                                utf8(Firing.generation(source, offset, leaderEpoch, ordinal)));
        return new Fired(
                row.getTimestamp(11).getTime(),
                key,
                new Output(origin, ordinal, partition.topic(), recordKey, payload, headers));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
