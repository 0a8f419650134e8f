package dev.envelope.idempotency.fold;

/**
 * Converts a key's state to the JSON text in its row, and back.
 *
 * <p>Threads: thread-safe.
 *
 * @param <S> the state of a key
 */
public interface StateCodec<S> {

    /**
     * The JSON of a state as UTF-8. What Postgres' {@code jsonb} would refuse (NUL characters, lone
     * surrogates, numbers out of range) is refused here, so that the message that led to it is at
     * fault.
     *
     * @throws MalformedException if the state can't be written so that {@code jsonb} takes it
     */
    byte[] encode(S state);

    /**
     * The state that {@link #encode} wrote.
     *
     * @throws UnreadableStateException if another version of the codec can read it, and this one
     *     can't without losing something: its key then waits for a process that can
     * @throws MalformedException if no version can read it: its key then waits for a person
     */
    S decode(byte[] json);

    /**
     * The same for a text that a person has written, possibly with a mistake: what {@link #decode}
     * ignores is refused here.
     */
    default S decodeStrictly(byte[] json) {
        return decode(json);
    }
}
