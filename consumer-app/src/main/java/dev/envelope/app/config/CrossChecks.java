package dev.envelope.app.config;

import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Relation;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.value.Quantities;
import java.time.Duration;
import java.util.Optional;

/**
 * Compares sizes and times with each other and with the machine. A setting whose value was refused
 * is skipped.
 */
final class CrossChecks {

    private final Settings settings;
    private final Findings findings;

    CrossChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check(Surroundings surroundings) {
        Registry.keys().forEach(this::relations);
        handlerTimeout();
        shards();
        heap(surroundings.maxHeapBytes());
    }

    private <T> void relations(Key<T> key) {
        for (Relation<T> relation : key.relations()) {
            Key<T> other = relation.other();
            if (isBroken(settings.find(key), relation, settings.find(other))) {
                Key<?> at = later(key, other);
                findings.conflict(at, findings.both(at, key, "must " + relation.words(), other));
            }
        }
    }

    private static <T> boolean isBroken(Optional<T> one, Relation<T> relation, Optional<T> other) {
        return one.isPresent()
                && other.isPresent()
                && !relation.holds().test(one.get(), other.get());
    }

    private void handlerTimeout() {
        Key<Duration> timeout = HandlerKeys.HANDLER_TIMEOUT;
        Key<Duration> drain = OperationKeys.SHUTDOWN_DRAIN_TIMEOUT;
        Optional<Duration> stop = settings.find(drain);
        if (stop.isPresent() && settings.has(timeout, it -> it.compareTo(stop.get()) > 0)) {
            Key<?> at = later(timeout, drain);
            findings.doubt(
                    at,
                    findings.both(at, timeout, "is longer than", drain)
                            + ": a stop gives a message up that may still be folded; its effect is"
                            + " not saved, and it is read again",
                    String.format(
                            "set %s to %s or less, or give a stop more time",
                            timeout, settings.shown(drain)));
        }
    }

    private void shards() {
        if (settings.has(LimitKeys.POOL_SHARDS, it -> it != 0 && !LimitKeys.isPowerOfTwo(it))) {
            int below = Integer.highestOneBit(settings.get(LimitKeys.POOL_SHARDS));
            findings.error(
                    LimitKeys.POOL_SHARDS,
                    "is not a power of two",
                    String.format(
                            "nearest: %d or %d; 0 chooses by the number of workers",
                            below, below * 2));
        }
    }

    private void heap(long heap) {
        Key<Long> prefetch = LimitKeys.PREFETCH_MAX_BYTES;
        Key<Long> cache = LimitKeys.CACHE_MAX_BYTES;
        if (settings.has(WorkKeys.MODE, WorkKeys.Mode.WORK::equals)) {
            return; // there is no cache
        }
        if (settings.find(prefetch).orElse(0L) + settings.find(cache).orElse(0L) > heap / 2) {
            Key<?> at = later(prefetch, cache);
            findings.doubt(
                    at,
                    findings.both(at, prefetch, "and", cache)
                            + " are together more than half of the heap of "
                            + Quantities.show(heap >> 20 << 20),
                    "lower them, or give the process more memory (-Xmx)");
        }
    }

    /** The one of two settings that comes later in file, environment and command line. */
    private Key<?> later(Key<?> one, Key<?> other) {
        if (!settings.isSet(one) || !settings.isSet(other)) {
            return settings.isSet(one) ? one : other;
        }
        boolean oneIsLater = Origin.ORDER.compare(settings.origin(one), settings.origin(other)) > 0;
        return oneIsLater ? one : other;
    }
}
