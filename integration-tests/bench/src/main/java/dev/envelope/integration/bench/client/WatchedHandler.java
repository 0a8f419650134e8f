package dev.envelope.integration.bench.client;

import dev.envelope.core.api.Message;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.util.List;

/**
 * A handler of ours with somebody who looks at each message when it is said to be durable.
 *
 * <p>Threads: immutable.
 */
record WatchedHandler(EnvelopeHandler watched, Observer observer) implements EnvelopeHandler {

    @Override
    public void handle(Turn turn) {
        watched.handle(new WatchedTurn(turn, observer));
    }

    @Override
    public boolean hasRoom() {
        return watched.hasRoom();
    }

    @Override
    public void dying(List<Message> underWay) {
        watched.dying(underWay);
    }

    private static final class WatchedTurn extends ForwardingTurn {

        private final Observer observer;

        WatchedTurn(Turn turn, Observer observer) {
            super(turn);
            this.observer = observer;
        }

        @Override
        public void settle(int envelope, Outcome outcome) {
            if (outcome instanceof Outcome.Saved) {
                long now = Micros.now();
                for (Message message : envelopes().get(envelope).messages()) {
                    observer.each(message.partition(), message.headers(), now);
                }
            }
            super.settle(envelope, outcome);
        }
    }
}
