package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.Incarnation;

/**
 * Which server a connection leads to, and since when that server runs.
 *
 * @param systemIdentifier of the cluster, made when it was; 0 where this role may not read it
 * @param startMicros when the server was started, in microseconds since 1970
 */
public record ServerLife(long systemIdentifier, long startMicros) {

    /** Reads the start time within any statement. */
    public static final String START_MICROS =
            "(extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint";

    public Incarnation incarnation() {
        return new Incarnation(
                Long.toUnsignedString(systemIdentifier) + "/" + Long.toString(startMicros));
    }

    public ServerLife startedAt(long micros) {
        return new ServerLife(systemIdentifier, micros);
    }
}
