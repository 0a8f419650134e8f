package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.Uuid;

/**
 * The outbox in Postgres. Positions are in the order in which rows were inserted, not in that of
 * the commits: a row may appear before rows that were read already. This can't happen within a key,
 * because each save starts from the version that the save before it has made.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresOutboxStore implements OutboxStore {

    private static final String LEASE = "outbox";

    private static final String DEPTH =
            "SELECT count(*), coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)"
                    + "::bigint FROM (SELECT created_at FROM %1$s.outbox ORDER BY position"
                    + " LIMIT ?) AS o";

    private static final String LEAD =
            "INSERT INTO %1$s.lease AS l (name, taken_by, taken_until)"
                    + " VALUES (?, ?, now() + ? * interval '1 ms')"
                    + " ON CONFLICT (name) DO UPDATE SET taken_by = excluded.taken_by,"
                    + " taken_until = excluded.taken_until"
                    + " WHERE l.taken_by = excluded.taken_by"
                    + " OR excluded.taken_until - l.taken_until > ? * interval '1 ms'";

    private static final String LEAVE = "DELETE FROM %1$s.lease WHERE name = ? AND taken_by = ?";

    /** The first record, and those after it that fit. Sizes are read without the values. */
    private static final String FIRST =
            "SELECT g.start, o.position, coalesce(s.first_topic_id, s.topic_id), s.generation, s.partition, o.record_offset,"
                    + " o.ordinal, o.topic, o.key, o.value, o.headers, o.leader_epoch FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN ((SELECT position, row_number() OVER w AS place,"
                    + " sum(coalesce(octet_length(key), 0) + coalesce(octet_length(value), 0)"
                    + " + pg_column_size(headers)) OVER w AS upto FROM (SELECT * FROM %1$s.outbox"
                    + " WHERE position NOT IN (SELECT unnest(?::bigint[]))"
                    + " ORDER BY position LIMIT ?) AS f WINDOW w AS (ORDER BY position)) AS c"
                    + " JOIN %1$s.outbox AS o ON o.position = c.position"
                    + " LEFT JOIN %1$s.source AS s ON s.number = o.source)"
                    + " ON c.place = 1 OR c.upto <= ? ORDER BY o.position";

    private static final String DELETE =
            "WITH gone AS (DELETE FROM %1$s.outbox WHERE position = ANY (?::bigint[]) AND "
                    + ServerLife.START_MICROS
                    + " = ?) SELECT "
                    + ServerLife.START_MICROS;

    private final Tables tables;
    private final String owner;

    /**
     * @param owner the name under which the lease is taken
     */
    PostgresOutboxStore(Tables tables, String owner) {
        this.tables = tables;
        this.owner = owner;
    }

    @Override
    public Depth depth(int most) {
        return tables.one(
                DEPTH,
                row -> new Depth(row.getInt(1), Duration.ofMillis(Math.max(0, row.getLong(2)))),
                most);
    }

    @Override
    public boolean lead(Duration lease) {
        return tables.update(LEAD, LEASE, owner, lease.toMillis(), lease.toMillis()) == 1;
    }

    @Override
    public void leave() {
        tables.update(LEAVE, LEASE, owner);
    }

    @Override
    public Batch firstWithout(List<Long> positions, int most, long maxBytes) {
        return tables.call(
                null,
                (statements, life) -> {
                    List<Waiting> records = new ArrayList<>();
                    statements.query(
                            FIRST,
                            row -> {
                                Database.requireLife(life, row.getLong(1));
                                if (row.getObject(2) != null) {
                                    records.add(waiting(row));
                                }
                            },
                            BinaryArray.ofLongs(positions, each -> each),
                            most,
                            maxBytes);
                    return new Batch(life.incarnation(), records);
                });
    }

    private static Waiting waiting(ResultSet row) throws SQLException {
        UUID topicId = row.getObject(3, UUID.class);
        Uuid id =
                topicId == null
                        ? Uuid.ZERO_UUID // the source was deleted by hand
                        : new Uuid(
                                topicId.getMostSignificantBits(),
                                topicId.getLeastSignificantBits());
        return new Waiting(
                row.getLong(2),
                new Origin(
                        id,
                        row.getInt(4),
                        row.getInt(5),
                        row.getLong(6),
                        row.getInt(12),
                        row.getInt(7)),
                row.getString(8),
                row.getBytes(9),
                row.getBytes(10),
                HeadersJson.read(row.getBytes(11)));
    }

    @Override
    public void delete(List<Long> positions, Incarnation incarnation) {
        if (positions.isEmpty()) {
            return;
        }
        tables.call(
                incarnation,
                (statements, life) -> {
                    long of =
                            statements.one(
                                    DELETE,
                                    row -> row.getLong(1),
                                    BinaryArray.ofLongs(positions, each -> each),
                                    life.startMicros());
                    Database.requireLife(life, of);
                    return positions.size();
                });
    }
}
