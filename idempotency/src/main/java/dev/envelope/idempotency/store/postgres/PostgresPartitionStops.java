package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.Tables;

/**
 * How much of a partition is parked, and which partitions stay stopped, in Postgres.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
final class PostgresPartitionStops implements PartitionStops {

    private static final String PARKED = "SELECT count(*) FROM %1$s.parked WHERE source = ?";

    private static final String STOP =
            "INSERT INTO %1$s.stopped (source, reason, instance) VALUES (?, ?, ?)"
                    + " ON CONFLICT (source) DO NOTHING";

    private final Tables tables;
    private final String instance;

    PostgresPartitionStops(Tables tables, String instance) {
        this.tables = tables;
        this.instance = instance;
    }

    @Override
    public long parked(int source) {
        return tables.one(PARKED, row -> row.getLong(1), source);
    }

    @Override
    public void stop(int source, String reason) {
        tables.update(STOP, source, HeadersJson.legible(reason), instance);
    }
}
