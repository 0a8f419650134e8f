package dev.envelope.idempotency.store.postgres.place;

import java.util.concurrent.CountDownLatch;

/**
 * Somebody who stands still at one step until he is woken.
 *
 * <p>Threads: one that takes the steps, and one that waits for it and wakes it.
 *
 * @param <T> the steps
 */
public final class Sleeper<T> {

    private final T at;
    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch awake = new CountDownLatch(1);

    public Sleeper(T at) {
        this.at = at;
    }

    /** Returns at once from any other step. */
    public void done(T step) {
        if (step.equals(at)) {
            asleep.countDown();
            await(awake);
        }
    }

    /** Returns when he stands still. */
    public void awaitSleep() {
        await(asleep);
    }

    public void wake() {
        awake.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
