package dev.envelope.integration.table;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import org.jspecify.annotations.Nullable;

/** Counts the messages of a key, and puts each of them out. One that says so fails. */
public final class PublishFold implements EffectFold<PublishFold.Count, String> {

    /** Where they are put out. */
    static final String TOPIC = "published";

    /** How many messages there were. */
    public record Count(long n) {}

    @Override
    public Count apply(@Nullable Count state, @Nullable String value, Effects effects) {
        if ("broken".equals(value)) {
            throw new IllegalArgumentException("broken");
        }
        effects.emit(TOPIC, effects.message().key(), value == null ? "" : value);
        return new Count(state == null ? 1 : state.n() + 1);
    }
}
