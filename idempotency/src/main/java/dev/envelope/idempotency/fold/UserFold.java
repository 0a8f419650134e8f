package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A user's function, with or without effects.
 *
 * @param function the object that the user has written
 * @param emits whether it may emit
 * @param <S> the state of a key
 * @param <M> the decoded value of a message
 */
public record UserFold<S, M>(Object function, Call<S, M> call, boolean emits) {

    /**
     * The call of the function; the effects are null if there can be none.
     *
     * @param <S> the state of a key
     * @param <M> the decoded value of a message
     */
    public interface Call<S, M> {
        @Nullable S apply(
                @Nullable S state, @Nullable M value, Message message, @Nullable Effects effects)
                throws Exception;
    }

    /** A function without effects. */
    public static <S, M> UserFold<S, M> of(Fold<S, M> fold) {
        return new UserFold<>(
                fold,
                (state, value, message, effects) -> {
                    if (effects != null && effects.fired() != null) {
                        throw new MalformedException(
                                "the timer "
                                        + effects.fired().name()
                                        + " has fired, and the handler knows no timers");
                    }
                    return fold.apply(state, value, message);
                },
                false);
    }

    /** A function that emits. */
    public static <S, M> UserFold<S, M> emitting(EffectFold<S, M> fold) {
        return new UserFold<>(
                fold,
                (state, value, message, effects) ->
                        fold.apply(state, value, Objects.requireNonNull(effects)),
                true);
    }

    /** The user's class, for messages and time-outs. */
    Class<?> handler() {
        return function.getClass();
    }
}
