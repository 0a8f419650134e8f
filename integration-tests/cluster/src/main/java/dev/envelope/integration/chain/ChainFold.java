package dev.envelope.integration.chain;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of a key. Most of them are passed on with the count, every fifth twice, and
 * every seventh not at all.
 *
 * <p>Threads: immutable.
 *
 * @param to the topic that gets them
 */
record ChainFold(String to) implements EffectFold<ChainFold.Count, String> {

    /** How many messages there were. */
    record Count(long messages) {}

    @Override
    public Count apply(@Nullable Count state, @Nullable String value, Effects effects) {
        long messages = state == null ? 1 : state.messages() + 1;
        if (messages % 7 != 0) {
            String key = effects.message().key();
            effects.emit(to, key, value + "-" + messages);
            if (messages % 5 == 0) {
                effects.emit(to, key, value + "-" + messages + "again");
            }
        }
        return new Count(messages);
    }
}
