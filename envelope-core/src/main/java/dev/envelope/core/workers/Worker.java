package dev.envelope.core.workers;

/**
 * Handles messages, one after the other. If it is an {@link AutoCloseable} it is closed when it is
 * dead or not needed any more.
 *
 * @param <M> a message
 * @param <R> what is answered
 */
@FunctionalInterface
public interface Worker<M, R> {

    /**
     * Handles a message.
     *
     * @return the answer to who has sent it
     * @throws Exception then this worker is dead and is replaced. What is not to end it belongs
     *     into the answer
     */
    R handle(M message) throws Exception;
}
