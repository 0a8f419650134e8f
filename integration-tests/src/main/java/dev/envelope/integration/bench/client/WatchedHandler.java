package dev.envelope.integration.bench.client;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.EnvelopeHandler;
import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Turn;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    public void dying(List<Message> underWay) {
        watched.dying(underWay);
    }

    private record WatchedTurn(Turn turn, Observer observer) implements Turn {

        @Override
        public List<Envelope> envelopes() {
            return turn.envelopes();
        }

        @Override
        public void begins(Stage stage) {
            turn.begins(stage);
        }

        @Override
        public boolean enter(int envelope) {
            return turn.enter(envelope);
        }

        @Override
        public boolean leave(int envelope, @Nullable Object folded) {
            return turn.leave(envelope, folded);
        }

        @Override
        public FoldGuard guard() {
            return turn.guard();
        }

        @Override
        public boolean isTimeUp() {
            return turn.isTimeUp();
        }

        @Override
        public void settle(int envelope, Outcome outcome) {
            if (outcome instanceof Outcome.Saved) {
                long now = Micros.now();
                for (Message message : turn.envelopes().get(envelope).messages()) {
                    observer.each(message.partition(), message.headers(), now);
                }
            }
            turn.settle(envelope, outcome);
        }
    }
}
