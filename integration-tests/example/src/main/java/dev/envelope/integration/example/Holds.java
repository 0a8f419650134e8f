package dev.envelope.integration.example;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

// region handler
/** An article that is held for a customer: until it is bought, and not longer than ten minutes. */
public final class Holds implements EffectFold<Holds.Hold, Holds.Request> {

    private static final Duration LONGEST = Duration.ofMinutes(10);

    public record Request(String action, String customer) {}

    public record Hold(String customer, boolean isBought) {}

    @Override
    public @Nullable Hold apply(@Nullable Hold hold, @Nullable Request request, Effects effects) {
        if (effects.fired() != null) {
            return null; // nobody has bought it in time
        }
        if (request == null) {
            return hold;
        }
        if (request.action().equals("hold") && hold == null) {
            Instant from = Instant.ofEpochMilli(effects.message().timestampMillis());
            effects.timer("expires", from.plus(LONGEST));
            return new Hold(request.customer(), false);
        }
        if (request.action().equals("buy") && hold != null) {
            effects.cancel("expires");
            return new Hold(hold.customer(), true);
        }
        return hold;
    }
}
// end region
