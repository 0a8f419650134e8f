package dev.envelope.core;

import dev.envelope.core.api.Message;
import dev.envelope.core.turn.EnvelopeHandler;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The report when memory has run out: calls the handler once with what was being folded, after
 * freeing some memory that was kept for that.
 *
 * <p>Threads: thread-safe (one atomic, one latch); the first caller reports, the others wait for
 * that before they end the process.
 */
final class LastWords {

    private static final Logger log = LoggerFactory.getLogger(EnvelopeConsumer.class);
    private static final int KEPT_BYTES = 2 << 20;
    private static final int LONGEST_SECONDS = 5;
    private static final int DEEPEST_CAUSE = 20;

    private final EnvelopeHandler handler;
    private final Supplier<List<Message>> underWay;
    private final AtomicBoolean said = new AtomicBoolean();
    private final CountDownLatch isSaid = new CountDownLatch(1);

    @SuppressWarnings("unused") // only reserves memory
    private volatile byte @Nullable [] kept = new byte[KEPT_BYTES];

    LastWords(EnvelopeHandler handler, Supplier<List<Message>> underWay) {
        this.handler = handler;
        this.underWay = underWay;
    }

    /** Whether this is an {@link OutOfMemoryError} or was caused by one. */
    static boolean isOutOfMemory(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (cause instanceof OutOfMemoryError) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Reports if memory has run out; a second caller waits until the first has finished. */
    void say(@Nullable Throwable thrown) {
        if (!isOutOfMemory(thrown)) {
            return;
        } else if (!said.compareAndSet(false, true)) {
            await(); // the caller ends the process next
            return;
        }
        kept = null;
        try {
            handler.dying(underWay.get());
        } catch (RuntimeException | Error e) { // the report is lost; the process still ends
            log.error("memory has run out, and what was being folded can't be recorded", e);
        } finally {
            isSaid.countDown();
        }
    }

    /** Waits some seconds for a report that has begun. */
    void await() {
        try {
            if (said.get() && !isSaid.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                log.error("what was being folded when memory ran out was not recorded in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
