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
     * @throws UnreadableStateException if another version of the codec can read it, and this one
     *     can't without giving something up: its key then waits for a process that can
     * @throws MalformedException if no version can read it: its key then waits for a person
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
