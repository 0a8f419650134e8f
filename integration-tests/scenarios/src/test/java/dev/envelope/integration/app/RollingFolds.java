package dev.envelope.integration.app;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Two versions of a handler of a user's own: the later one has a field more in its state.
 *
 * <p>Threads: stateless.
 */
public final class RollingFolds {

    private RollingFolds() {}

    /** How many messages a key had. */
    public static final class Before implements Fold<Before.Count, JsonNode> {

        /** Its state. */
        public record Count(int n) {}

        @Override
        public Count apply(@Nullable Count state, @Nullable JsonNode value, Message message) {
            return new Count(state == null ? 1 : state.n() + 1);
        }
    }

    /** And what they add up to, from this version on. */
    public static final class After implements Fold<After.Totals, JsonNode> {

        /** Its state, which is read also where it has no sum yet. */
        public record Totals(int n, long more) {}

        @Override
        public Totals apply(@Nullable Totals state, @Nullable JsonNode value, Message message) {
            long amount = value == null ? 0 : value.at("/amount").asLong();
            return state == null
                    ? new Totals(1, amount)
                    : new Totals(state.n() + 1, state.more() + amount);
        }
    }
}
