package dev.envelope.integration.cluster;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The mutant that commits on fetch: says at once that everything is durable, and has it saved a
 * while later.
 *
 * <p>Threads: thread-safe; a single thread does the work in the order in which it came.
 */
final class HastyHandler implements EnvelopeHandler {

    private static final long LATER_MILLIS = 1_500;

    private final EnvelopeHandler handler;
    private final ScheduledExecutorService later =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "hasty");
                        thread.setDaemon(true);
                        return thread;
                    });

    HastyHandler(EnvelopeHandler handler) {
        this.handler = handler;
    }

    @Override
    public void handle(Turn turn) {
        List<Envelope> envelopes = List.copyOf(turn.envelopes());
        for (int i = 0; i < envelopes.size(); i++) {
            turn.settle(i, Outcome.applied(envelopes.get(i)));
        }
        ScheduledFuture<?> unused =
                later.schedule(() -> work(envelopes), LATER_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void work(List<Envelope> envelopes) {
        Deque<Envelope> left = new ArrayDeque<>(envelopes);
        while (!left.isEmpty()) {
            LateTurn turn = new LateTurn(List.copyOf(left));
            handler.handle(turn);
            left.clear();
            for (int i = 0; i < turn.outcomes.length; i++) {
                Outcome outcome = turn.outcomes[i];
                if (outcome instanceof Outcome.Deferred || outcome instanceof Outcome.Failed) {
                    left.add(turn.envelopes.get(i)); // its marks tell what of it is done
                }
            }
        }
    }

    /** A turn that nobody waits for. */
    private static final class LateTurn implements Turn {

        private final List<Envelope> envelopes;
        private final @Nullable Outcome[] outcomes;

        LateTurn(List<Envelope> envelopes) {
            this.envelopes = envelopes;
            this.outcomes = new Outcome[envelopes.size()];
            Arrays.fill(outcomes, null);
        }

        @Override
        public List<Envelope> envelopes() {
            return envelopes;
        }

        @Override
        public boolean enter(int envelope) {
            return true;
        }

        @Override
        public boolean leave(int envelope, @Nullable Object folded) {
            return true;
        }

        @Override
        public boolean isTimeUp() {
            return false;
        }

        @Override
        public Consumer<@Nullable Object> handOver(int envelope) {
            return brought -> {};
        }

        @Override
        public void settle(int envelope, Outcome outcome) {
            outcomes[envelope] = outcome;
        }
    }
}
