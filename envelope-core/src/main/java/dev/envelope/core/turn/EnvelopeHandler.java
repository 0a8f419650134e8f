package dev.envelope.core.turn;

import dev.envelope.core.api.Message;
import java.util.List;

/**
 * Where envelopes leave the engine: applies them and makes them durable.
 *
 * <p>Threads: called by several workers at once, never by two with the same key at a time. It may
 * block; it may be called again with messages that it has already made durable.
 */
@FunctionalInterface
public interface EnvelopeHandler {

    /**
     * Settles the envelopes of a turn. An {@link Outcome.Saved} is a promise: when it is said, the
     * effect is durable, for these offsets will be committed (I2). An envelope that is not settled
     * when the call returns comes again in a later turn.
     */
    void handle(Turn turn);

    /**
     * The process has run out of memory and is about to end: the time for last words, which may
     * fail.
     *
     * @param underWay what user code was at, in any worker
     */
    default void dying(List<Message> underWay) {}
}
