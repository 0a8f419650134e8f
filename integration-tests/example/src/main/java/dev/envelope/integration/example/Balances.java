package dev.envelope.integration.example;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import org.jspecify.annotations.Nullable;

// region handler
/** What the payments of an account add up to, and how many they were. */
public final class Balances implements Fold<Balances.Balance, Balances.Payment> {

    public record Payment(long cents) {}

    public record Balance(long cents, long payments) {}

    @Override
    public @Nullable Balance apply(
            @Nullable Balance balance, @Nullable Payment payment, Message message) {
        if (payment == null) {
            return null; // a tombstone deletes the state
        }
        Balance before = balance == null ? new Balance(0, 0) : balance;
        return new Balance(Math.addExact(before.cents(), payment.cents()), before.payments() + 1);
    }
}
// end region
