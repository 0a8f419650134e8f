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
 * What is still said when memory has run out: the handler is told what was being folded, once, with
 * some memory that was kept for it.
 *
 * <p>Threads: thread-safe (one atomic, one latch); whoever notices first says it, and the others
 * wait for that before they end the process.
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

    @SuppressWarnings("unused") // it only takes room
    private volatile byte @Nullable [] kept = new byte[KEPT_BYTES];

    LastWords(EnvelopeHandler handler, Supplier<List<Message>> underWay) {
        this.handler = handler;
        this.underWay = underWay;
    }

    /** Whether this is, or comes of, memory that has run out. */
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

    /** Says them if memory has run out; who comes second waits until the first has. */
    void say(@Nullable Throwable thrown) {
        if (!isOutOfMemory(thrown)) {
            return;
        } else if (!said.compareAndSet(false, true)) {
            await(); // it goes on to end the process
            return;
        }
        kept = null;
        try {
            handler.dying(underWay.get());
        } catch (RuntimeException | Error e) { // what was to be said is lost; the end goes on
            log.error("memory has run out, and what was being folded can't be written down", e);
        } finally {
            isSaid.countDown();
        }
    }

    /** Waits until they are said, if somebody has begun to, but not for long. */
    void await() {
        try {
            if (said.get() && !isSaid.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                log.error("what was being folded when memory ran out is not written down in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
