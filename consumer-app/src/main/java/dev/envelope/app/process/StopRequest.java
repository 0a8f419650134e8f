package dev.envelope.app.process;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The request to stop: by the first signal, or by the engine's failure. A second signal ends the
 * process at once.
 *
 * <p>Threads: thread-safe (atomics).
 */
final class StopRequest {

    private final CountDownLatch asked = new CountDownLatch(1);
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

    /** Counted down when the process is to stop. */
    CountDownLatch asked() {
        return asked;
    }

    /** The first signal; null if there was none. */
    Signals.@Nullable Kind signal() {
        return first.get();
    }
}
