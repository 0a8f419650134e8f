package dev.envelope.core.turn;

import dev.envelope.core.api.Message;
import java.util.List;

/**
 * The port by which envelopes leave the engine: applies them and makes them durable.
 *
 * <p>Threads: called by several workers at once, never by two with the same key at a time. It may
 * block; it may be called again with messages that it has already made durable.
 */
@FunctionalInterface
public interface EnvelopeHandler {

    /**
     * Settles the envelopes of a turn. It may report {@link Outcome.Saved} only when the effect is
     * durable, because these offsets will be committed (I2). An envelope that is not settled when
     * the call returns comes again in a later turn.
     */
    void handle(Turn turn);

    /**
     * Whether there is room for results. While there is none, turns wait for a moment and take
     * nothing up. It has to return at once.
     */
    default boolean hasRoom() {
        return true;
    }

    /**
     * Called when the process has run out of memory and is about to end: it may record what was
     * being folded, and may fail.
     *
     * @param underWay the messages that user code was at, in all workers
     */
    default void dying(List<Message> underWay) {}
}
