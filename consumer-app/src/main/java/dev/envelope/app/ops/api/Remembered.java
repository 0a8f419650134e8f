package dev.envelope.app.ops.api;

import dev.envelope.app.http.Answer;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cached value, at most half a second old, so that many callers cause no more work than a few.
 *
 * <p>Threads: guarded by this: while one thread reads the source, the others wait for its result.
 */
public final class Remembered<T> {

    private static final Duration FRESH = Duration.ofMillis(500);

    private final long freshNanos;
    private final LongSupplier nanoTime;
    private @Nullable T found;
    private long foundAt;

    Remembered(LongSupplier nanoTime) {
        this(FRESH, nanoTime);
    }

    Remembered(Duration fresh, LongSupplier nanoTime) {
        this.freshNanos = fresh.toNanos();
        this.nanoTime = nanoTime;
    }

    /** The last value, or the source's if that is too old. */
    synchronized T get(Supplier<T> source) {
        T last = found;
        if (last == null || nanoTime.getAsLong() - foundAt >= freshNanos) {
            last = source.get();
            found = last;
            foundAt = nanoTime.getAsLong(); // after a slow call, so all that waited share it
        }
        return last;
    }

    /** The same source, called at most twice a second. */
    public static <T> Supplier<T> of(Supplier<T> source) {
        Remembered<T> last = new Remembered<>(System::nanoTime);
        return () -> last.get(source);
    }

    /** Answers with a document that is made, and written as JSON, once for all callers. */
    public static Route.Handler json(Supplier<?> document) {
        Supplier<Answer> answer = of(() -> Answer.json(document.get()));
        return call -> answer.get();
    }

    /** Answers with a text, the same way. */
    public static Route.Handler text(String contentType, Supplier<String> source) {
        Supplier<Answer> answer = of(() -> Answer.text(200, contentType, source.get()));
        return call -> answer.get();
    }
}
