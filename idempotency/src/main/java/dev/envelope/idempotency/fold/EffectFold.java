package dev.envelope.idempotency.fold;

import org.jspecify.annotations.Nullable;

/**
 * A {@link Fold} that also says what is to happen when its result is saved: records to emit, timers
 * to set, the answer to a command.
 *
 * <p>It may run more than once for a message before a result is saved; only the effects of the
 * saved run happen, each once. Threads: called by several workers at once, never by two for the
 * same key at a time.
 *
 * @param <S> the state of a key
 * @param <M> the decoded value of a message
 */
@FunctionalInterface
public interface EffectFold<S, M> {

    /**
     * Applies one message.
     *
     * @param state what the key's messages so far have made, or null before the first and after a
     *     deletion
     * @param value the decoded value, or null for a tombstone or where a {@linkplain Effects#fired
     *     timer has fired}
     * @param effects the message with its key and headers, and what is to happen
     * @return the next state; null deletes the key's state
     * @throws Exception to have the message tried again and, after the last attempt, handled as the
     *     failure policy says; nothing of what it asked for happens
     */
    @Nullable S apply(@Nullable S state, @Nullable M value, Effects effects) throws Exception;
}
