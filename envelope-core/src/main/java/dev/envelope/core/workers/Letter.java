package dev.envelope.core.workers;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way.
 *
 * @param reply where the sender waits for the answer
 * @param deaths of how many workers it has been the last message
 * @param avoids the place where that has happened last; another one is to try it
 */
record Letter<M, R>(M message, CompletableFuture<R> reply, int deaths, @Nullable Object avoids) {

    Letter<M, R> afterDeathAt(Object place) {
        return new Letter<>(message, reply, deaths + 1, place);
    }
}
