package dev.envelope.core.turn;

import dev.envelope.core.api.Message;

/**
 * Told when user code is at a message and when it is back, so that somebody can see that it takes
 * too long. Between the two calls its thread may be interrupted, and at no other time.
 *
 * <p>Threads: one thread, which runs the user code.
 */
public interface FoldGuard {

    /** Lets user code take as long as it likes. */
    FoldGuard NONE =
            new FoldGuard() {
                @Override
                public void enter(Message message, Class<?> handler) {}

                @Override
                public boolean leave() {
                    return true;
                }
            };

    /** User code begins with this message. */
    void enter(Message message, Class<?> handler);

    /**
     * User code is back. No interrupt comes any more, and none is left behind.
     *
     * @return false if it took longer than it may: whatever it brought is a failed attempt
     */
    boolean leave();
}
