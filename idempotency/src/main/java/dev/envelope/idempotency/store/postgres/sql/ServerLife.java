package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;

/**
 * The server of a connection, and when it was started. Where Citus is, the schema may be on a
 * worker: then the server of the connection is the coordinator, and the life is that of both.
 *
 * @param systemIdentifier of the database cluster, set by initdb; 0 if this role may not read it
 * @param startMicros the server's start time, in microseconds since 1970
 * @param workerMicros that of the server that has the schema; the same if there is one server
 */
public record ServerLife(long systemIdentifier, long startMicros, long workerMicros) {

    /**
     * An SQL expression for the server's start time. On Citus a condition of a write has the
     * coordinator's, and what is read has the worker's.
     */
    public static final String START_MICROS =
            "(extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint";

    /** Of a server that has the schema itself. */
    public static ServerLife of(long systemIdentifier, long startMicros) {
        return new ServerLife(systemIdentifier, startMicros, startMicros);
    }

    /** Whether the schema is on a worker of Citus. */
    public boolean isOnWorker() {
        return workerMicros != startMicros;
    }

    /**
     * Compares the start time that a statement returned with those of the servers.
     *
     * @throws OtherIncarnationException if the statement ran on another server
     */
    void require(long micros) {
        if (micros != startMicros && micros != workerMicros) {
            ServerLife found =
                    new ServerLife(systemIdentifier, isOnWorker() ? startMicros : micros, micros);
            throw new OtherIncarnationException(incarnation(), found.incarnation());
        }
    }

    public Incarnation incarnation() {
        return new Incarnation(
                Long.toUnsignedString(systemIdentifier)
                        + "/"
                        + startMicros
                        + (isOnWorker() ? "/" + workerMicros : ""));
    }
}
