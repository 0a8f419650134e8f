package dev.envelope.app.config;

import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.value.Quantities;
import java.time.Duration;
import java.util.function.BiPredicate;

/**
 * Holds settings against each other. A setting that has no value, because it was wrong, is left
 * out.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class CrossChecks {

    private static final int PARTS_OF_REVOKE = 2;
    private static final int SHARDS_PER_WORKER = 4;

    private final Settings settings;
    private final Surroundings surroundings;
    private final ProblemCollector problems;

    CrossChecks(Settings settings, Surroundings surroundings, ProblemCollector problems) {
        this.settings = settings;
        this.surroundings = surroundings;
        this.problems = problems;
    }

    void check() {
        times();
        sizes();
        workers();
        new MeaningChecks(settings, problems).check();
        new TransportChecks(settings, problems).check();
    }

    private void times() {
        refuseUnless(
                StoreKeys.LOCK_TIMEOUT,
                StoreKeys.STATEMENT_TIMEOUT,
                "must be shorter than",
                CrossChecks::isShorter);
        refuseUnless(
                StoreKeys.STATEMENT_TIMEOUT,
                StoreKeys.SOCKET_TIMEOUT,
                "must be shorter than",
                CrossChecks::isShorter);
        refuseUnless(
                StoreKeys.LOCK_TIMEOUT,
                OperationKeys.REVOKE_DRAIN_TIMEOUT,
                "must be at most half of",
                (lock, revoke) -> lock.multipliedBy(PARTS_OF_REVOKE).compareTo(revoke) <= 0);
        refuseUnless(
                LimitKeys.TURN_MAX_TIME,
                OperationKeys.REVOKE_DRAIN_TIMEOUT,
                "must be shorter than",
                CrossChecks::isShorter);
        refuseUnless(
                LimitKeys.TURN_MAX_TIME,
                HandlerKeys.HANDLER_TIMEOUT,
                "must be shorter than",
                CrossChecks::isShorter);
        handlerTimeout();
        refuseUnless(
                FailureKeys.RETRY_BACKOFF_INITIAL,
                FailureKeys.RETRY_BACKOFF_MAX,
                "must not be longer than",
                (initial, max) -> initial.compareTo(max) <= 0);
    }

    private void handlerTimeout() {
        Key<Duration> timeout = HandlerKeys.HANDLER_TIMEOUT;
        Key<Duration> drain = OperationKeys.SHUTDOWN_DRAIN_TIMEOUT;
        boolean outlastsStop =
                settings.find(timeout)
                        .flatMap(one -> settings.find(drain).filter(it -> isShorter(it, one)))
                        .isPresent();
        if (outlastsStop) {
            Key<?> at = later(timeout, drain);
            problems.warning(
                    settings.origin(at),
                    at.name(),
                    named(timeout, at)
                            + " is longer than "
                            + named(drain, at)
                            + ": a stop gives a message up that may still be folded; its effect is"
                            + " not saved, and it is read again",
                    "set "
                            + timeout.name()
                            + " to "
                            + settings.effective(drain.name()).map(Setting::shown).orElse("")
                            + " or less, or give a stop more time");
        }
    }

    private void sizes() {
        refuseUnless(
                LimitKeys.ENVELOPE_MAX_MESSAGES,
                LimitKeys.TURN_MAX_MESSAGES,
                "must not be larger than",
                (envelope, turn) -> envelope <= turn);
        refuseUnless(
                LimitKeys.ENVELOPE_MAX_BYTES,
                LimitKeys.PREFETCH_MAX_BYTES,
                "must not be larger than",
                (envelope, prefetch) -> envelope <= prefetch);
        refuseUnless(
                LimitKeys.STATE_MAX_BYTES,
                LimitKeys.CACHE_MAX_BYTES,
                "must not be larger than",
                (state, cache) -> state <= cache);
        heap();
    }

    private void heap() {
        long held =
                settings.find(LimitKeys.PREFETCH_MAX_BYTES).orElse(0L)
                        + settings.find(LimitKeys.CACHE_MAX_BYTES).orElse(0L);
        if (held > surroundings.maxHeapBytes() / 2) {
            Key<?> at = later(LimitKeys.PREFETCH_MAX_BYTES, LimitKeys.CACHE_MAX_BYTES);
            problems.warning(
                    settings.origin(at),
                    at.name(),
                    String.format(
                            "%s and %s are together more than half of the heap of %s",
                            named(LimitKeys.PREFETCH_MAX_BYTES, at),
                            named(LimitKeys.CACHE_MAX_BYTES, at),
                            Quantities.show(surroundings.maxHeapBytes() >> 20 << 20)),
                    "lower them, or give the process more memory (-Xmx)");
        }
    }

    private void workers() {
        refuseUnless(
                LimitKeys.POOL_SIZE_MAX,
                LimitKeys.POOL_SIZE,
                "must be 0, or at least",
                (most, size) -> most == 0 || most >= size);
        int shards = settings.find(LimitKeys.POOL_SHARDS).orElse(0);
        if (shards == 0) {
            return;
        }
        if (Integer.bitCount(shards) != 1) {
            problems.error(
                    settings.origin(LimitKeys.POOL_SHARDS),
                    Visible.subject(LimitKeys.POOL_SHARDS.name(), String.valueOf(shards)),
                    "is not a power of two",
                    "nearest: "
                            + Integer.highestOneBit(shards)
                            + " or "
                            + Integer.highestOneBit(shards) * 2
                            + "; 0 chooses by the number of workers");
            return;
        }
        refuseUnless(
                LimitKeys.POOL_SHARDS,
                LimitKeys.POOL_SIZE,
                "must be at least " + SHARDS_PER_WORKER + " times",
                (set, workers) -> set >= SHARDS_PER_WORKER * workers);
        refuseUnless(
                LimitKeys.POOL_SHARDS,
                LimitKeys.POOL_SIZE_MAX,
                "must be at least " + SHARDS_PER_WORKER + " times",
                (set, workers) -> set >= SHARDS_PER_WORKER * workers);
    }

    private <A, B> void refuseUnless(
            Key<A> one, Key<B> other, String relation, BiPredicate<A, B> holds) {
        settings.find(one)
                .flatMap(left -> settings.find(other).filter(right -> !holds.test(left, right)))
                .ifPresent(
                        right -> {
                            Key<?> at = later(one, other);
                            problems.error(
                                    settings.origin(at),
                                    at.name(),
                                    named(one, at) + " " + relation + " " + named(other, at));
                        });
    }

    /** The one of two settings that was written down later. */
    private Key<?> later(Key<?> one, Key<?> other) {
        if (!settings.isSet(one) || !settings.isSet(other)) {
            return settings.isSet(one) ? one : other;
        }
        boolean oneIsLater = Origin.ORDER.compare(settings.origin(one), settings.origin(other)) > 0;
        return oneIsLater ? one : other;
    }

    private String named(Key<?> key, Key<?> standing) {
        String shown = settings.effective(key.name()).map(Setting::shown).orElse("");
        String place = settings.origin(key).describeFrom(settings.origin(standing));
        return key.name() + " (" + Visible.text(shown) + ", " + place + ")";
    }

    private static boolean isShorter(Duration one, Duration other) {
        return one.compareTo(other) < 0;
    }
}
