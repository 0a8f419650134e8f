package dev.envelope.app.gateway;

import dev.envelope.idempotency.command.Command;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.EntityReads.Rows;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.command.Outcome;
import dev.envelope.idempotency.command.kafka.Gateway;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/**
 * What requests are answered from.
 *
 * <p>Threads: thread-safe. Futures are completed on threads that must not be blocked.
 */
interface Entities {

    /** Puts a command into the log; never completed with an exception. */
    CompletableFuture<Outcome> send(Command command, Duration wait);

    /**
     * The rows of these keys.
     *
     * @param over completed once the caller has its answer, or is gone
     */
    CompletableFuture<Rows> read(Collection<String> keys, CompletableFuture<?> over);

    /** The row of a key, once everything of a partition up to an offset is applied. */
    CompletableFuture<Read> read(
            String key, LogPosition atLeast, Duration wait, CompletableFuture<?> over);

    static Entities of(Gateway gateway) {
        return new Entities() {
            @Override
            public CompletableFuture<Outcome> send(Command command, Duration wait) {
                return gateway.commands().send(command, wait);
            }

            @Override
            public CompletableFuture<Rows> read(
                    Collection<String> keys, CompletableFuture<?> over) {
                return gateway.reads().read(keys, over);
            }

            @Override
            public CompletableFuture<Read> read(
                    String key, LogPosition atLeast, Duration wait, CompletableFuture<?> over) {
                return gateway.reads().read(key, atLeast, wait, over);
            }
        };
    }
}
