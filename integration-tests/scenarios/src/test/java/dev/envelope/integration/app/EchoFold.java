package dev.envelope.integration.app;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import org.jspecify.annotations.Nullable;

/** Counts the messages of a key, and emits where each came from and the count so far. */
public final class EchoFold implements EffectFold<EchoFold.Count, String> {

    /** How many messages there were. */
    public record Count(long messages) {}

    @Override
    public Count apply(@Nullable Count state, @Nullable String value, Effects effects) {
        long messages = state == null ? 1 : state.messages() + 1;
        effects.emit(
                effects.message().topic() + "-echo",
                effects.message().key(),
                effects.message() + " " + messages);
        return new Count(messages);
    }
}
