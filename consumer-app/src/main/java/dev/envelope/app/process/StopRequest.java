package dev.envelope.app.process;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The request to stop: by the first signal, by the engine's failure, or since the application has
 * to start anew. A second signal ends the process at once.
 *
 * <p>Threads: thread-safe (atomics; the latch is replaced by the thread that starts anew).
 */
final class StopRequest {

    private final AtomicBoolean startsAnew = new AtomicBoolean();
    private volatile CountDownLatch asked = new CountDownLatch(1);
    private final AtomicReference<Signals.@Nullable Kind> first = new AtomicReference<>();
    private final Consumer<Signals.Kind> force;

    /**
     * @param force ends the process at once
     */
    StopRequest(Consumer<Signals.Kind> force) {
        this.force = force;
    }

    /** Handles a signal. */
    void signalled(Signals.Kind kind) {
        if (kind == Signals.Kind.HUP) {
            return;
        }
        if (first.compareAndSet(null, kind)) {
            asked.countDown();
        } else {
            force.accept(kind);
        }
    }

    /** The engine has ended by itself. */
    void engineEnded() {
        asked.countDown();
    }

    /**
     * The application is to start anew.
     *
     * @return whether this is the first request
     */
    boolean startAnew() {
        boolean isFirst = startsAnew.compareAndSet(false, true);
        asked.countDown();
        return isFirst;
    }

    /** Whether the application is to start anew, and the process not to end. */
    boolean isToStartAnew() {
        return startsAnew.get() && first.get() == null;
    }

    /** It starts anew: from now on requests are for the new one. A signal stays. */
    void started() {
        CountDownLatch next = new CountDownLatch(1);
        asked = next;
        startsAnew.set(false);
        if (first.get() != null) { // it may have counted down the former one
            next.countDown();
        }
    }

    /** Counted down when the process is to stop. */
    CountDownLatch asked() {
        return asked;
    }

    /** The first signal; null if there was none. */
    Signals.@Nullable Kind signal() {
        return first.get();
    }
}
