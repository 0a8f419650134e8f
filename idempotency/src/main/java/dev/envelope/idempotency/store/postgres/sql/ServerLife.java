package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.Incarnation;

/**
 * The server of a connection, and when it was started.
 *
 * @param systemIdentifier of the database cluster, set by initdb; 0 if this role may not read it
 * @param startMicros the server's start time, in microseconds since 1970
 */
public record ServerLife(long systemIdentifier, long startMicros) {

    /** An SQL expression for the server's start time. */
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
