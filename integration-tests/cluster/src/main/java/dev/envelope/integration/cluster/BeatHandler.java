package dev.envelope.integration.cluster;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Turn;
import dev.envelope.integration.cluster.Beat.Count;

/**
 * Says how many messages are in the handler's hands.
 *
 * <p>Threads: thread-safe (its parts are).
 */
record BeatHandler(EnvelopeHandler handler, Beat beat, Trigger trigger) implements EnvelopeHandler {

    @Override
    public void handle(Turn turn) {
        int messages = turn.envelopes().stream().mapToInt(Envelope::size).sum();
        beat.add(Count.IN_TURN, messages);
        try {
            trigger.at(Aim.AFTER_FETCH);
            handler.handle(turn);
        } finally {
            beat.add(Count.IN_TURN, -messages);
        }
    }

    @Override
    public boolean hasRoom() {
        return handler.hasRoom();
    }
}
