package dev.envelope.idempotency.fold;

/**
 * Turns a key's state into the JSON text that stands in its row, and back.
 *
 * <p>Threads: thread-safe.
 *
 * @param <S> the state of a key
 */
public interface StateCodec<S> {

    /**
     * The JSON of a state as UTF-8. What Postgres' {@code jsonb} would refuse (NUL characters, lone
     * surrogates, numbers out of its range) is refused here, as the fault of the message that led
     * to it.
     *
     * @throws MalformedException if the state can't be written so that {@code jsonb} takes it
     */
    byte[] encode(S state);

    /**
     * The state that {@link #encode} wrote.
     *
     * @throws MalformedException if the text is not a state of this kind
     */
    S decode(byte[] json);

    /**
     * The same of a text that a person has written, and may have made a slip in: what {@link
     * #decode} passes over is refused here.
     */
    default S decodeStrictly(byte[] json) {
        return decode(json);
    }
}
