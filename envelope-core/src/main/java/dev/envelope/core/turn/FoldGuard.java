package dev.envelope.core.turn;

import dev.envelope.core.api.Message;

/**
 * Marks when user code begins with a message and when it has returned, so that a watchdog can see
 * that it takes too long. Its thread may be interrupted between the two calls, and at no other
 * time.
 *
 * <p>Threads: one thread, which runs the user code.
 */
public interface FoldGuard {

    /** Sets no limit of time. */
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
     * User code has returned. After this call no interrupt comes, and none is pending.
     *
     * @return false if it took too long: whatever it returned, this is a failed attempt
     */
    boolean leave();

    /**
     * The same after a call whose time tells how busy is what it calls.
     *
     * @param isDone whether it has done what it was called for
     */
    default boolean leaveCall(boolean isDone) {
        return leave();
    }
}
