package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.core.api.Incarnation;
import org.jspecify.annotations.Nullable;

/**
 * The number of this process's relay, which each save writes on what it puts out. It holds only in
 * the incarnation of the database in which the relay was registered: after a fail-over another
 * process may have been given the same number.
 *
 * <p>Threads: thread-safe (one volatile record; the relay's thread sets it, savers read it).
 */
public final class RelayNumber {

    /** The relay of outputs that are saved before their process has registered one. */
    static final int NONE_YET = 0;

    private volatile @Nullable Registered registered;

    private record Registered(int number, Incarnation life) {}

    /** The number to write in a save in that incarnation. */
    public int in(Incarnation life) {
        Registered known = registered;
        return known != null && known.life().equals(life) ? known.number() : NONE_YET;
    }

    /** From now on, saves in that incarnation write this number. */
    void isNow(int number, Incarnation life) {
        registered = new Registered(number, life);
    }
}
