package dev.envelope.integration.example;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import org.jspecify.annotations.Nullable;

// region handler
/** The balance of an account; tells another topic when it falls below zero. */
public final class Overdrafts implements EffectFold<Overdrafts.Balance, Overdrafts.Payment> {

    public record Payment(long cents) {}

    public record Balance(long cents) {}

    @Override
    public @Nullable Balance apply(
            @Nullable Balance balance, @Nullable Payment payment, Effects effects) {
        if (payment == null) {
            return null; // a tombstone deletes the state
        }
        long before = balance == null ? 0 : balance.cents();
        long now = Math.addExact(before, payment.cents());
        if (before >= 0 && now < 0) {
            String account = effects.message().key();
            effects.emit("overdrafts", account, "{\"cents\": " + now + "}");
        }
        return new Balance(now);
    }
}
// end region
