package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.SlotAwayException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which places have answered last. One that has not is asked again only after a while: meanwhile it
 * counts as away at once, so that what is about all places does not wait for it each time.
 *
 * <p>Threads: thread-safe (an atomic for each place).
 */
final class Reachable {

    private static final Logger log = LoggerFactory.getLogger(Reachable.class);
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration MOST = Duration.ofSeconds(5);
    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(15);

    /**
     * A place that has not answered.
     *
     * @param times how often in a row
     */
    private record Away(long since, int times, long askAgainAt, String why) {

        Away askedAt(long now) {
            return new Away(since, times, now + LONGEST_QUESTION.toNanos(), why);
        }
    }

    private final List<String> names;
    private final boolean isLogged;
    private final LongSupplier nanoTime;
    private final AtomicReferenceArray<@Nullable Away> away;

    Reachable(List<String> names, LongSupplier nanoTime) {
        this(names, true, nanoTime);
    }

    private Reachable(List<String> names, boolean isLogged, LongSupplier nanoTime) {
        this.names = List.copyOf(names);
        this.isLogged = isLogged;
        this.nanoTime = nanoTime;
        this.away = new AtomicReferenceArray<>(names.size());
    }

    /** For those who ask beside the engine, which has the log's line about a place. */
    static Reachable unlogged(List<String> names, LongSupplier nanoTime) {
        return new Reachable(names, false, nanoTime);
    }

    /**
     * Asks a place.
     *
     * @throws UnavailableException with its name, if it does not answer, or did not just before
     */
    <T> T ask(int place, Supplier<T> question) {
        Away before = away.get(place);
        if (before != null && !mayAsk(place, before)) {
            throw new UnavailableException(words(place, before.why()));
        }
        try {
            T answer = question.get();
            answered(place);
            return answer;
        } catch (OtherIncarnationException | SlotAwayException e) {
            answered(place);
            throw e;
        } catch (UnavailableException e) {
            throw new UnavailableException(words(place, failed(place, e)), e);
        }
    }

    /** Only one asks a place that was away. It may be silent for long, and others must not wait. */
    private boolean mayAsk(int place, Away before) {
        long now = nanoTime.getAsLong();
        return now - before.askAgainAt() >= 0
                && away.compareAndSet(place, before, before.askedAt(now));
    }

    private String words(int place, String why) {
        return "place " + names.get(place) + " is away: " + why;
    }

    private String failed(int place, UnavailableException cause) {
        String why = String.valueOf(cause.getMessage());
        long now = nanoTime.getAsLong();
        Away before = away.get(place);
        int times = before == null ? 1 : before.times() + 1;
        long wait = Math.min(MOST.toNanos(), FIRST.toNanos() << Math.min(times - 1, 8));
        away.set(place, new Away(before == null ? now : before.since(), times, now + wait, why));
        if (before == null && isLogged) {
            log.warn("{}; what is elsewhere goes on", words(place, why));
        }
        return why;
    }

    private void answered(int place) {
        if (away.getAndSet(place, null) != null && isLogged) {
            log.info("place {} is there again", names.get(place));
        }
    }

    /** How long a place has not answered, and why; empty if it answered last. */
    Optional<PlaceStatus.Silence> silence(int place) {
        return Optional.ofNullable(away.get(place))
                .map(
                        it ->
                                new PlaceStatus.Silence(
                                        Duration.ofNanos(nanoTime.getAsLong() - it.since()),
                                        it.why()));
    }
}
