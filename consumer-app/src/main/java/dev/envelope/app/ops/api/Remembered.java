package dev.envelope.app.ops.api;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was found a moment ago, so that many who ask make no more work than a few.
 *
 * <p>Threads: guarded by this: while one looks the others wait for what he finds.
 */
final class Remembered<T> implements Supplier<T> {

    private static final long FRESH_NANOS = 250_000_000;

    private final Supplier<T> source;
    private final LongSupplier nanoTime;
    private @Nullable T found;
    private long foundAt;

    Remembered(Supplier<T> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    @Override
    public synchronized T get() {
        long now = nanoTime.getAsLong();
        T last = found;
        if (last == null || now - foundAt >= FRESH_NANOS) {
            last = source.get();
            found = last;
            foundAt = now;
        }
        return last;
    }
}
