package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The incarnation of each place as it was seen last, and of all as one: for the engine a database
 * that is divided is in another incarnation when any of its places is.
 *
 * <p>Threads: thread-safe (an atomic for each place; guarded by this where one is seen).
 */
final class Lives {

    private static final String BETWEEN = " ";
    private static final String NOT_SEEN = "-";

    private final List<String> names;
    private final AtomicReferenceArray<@Nullable Incarnation> seen;

    Lives(List<String> names) {
        this.names = List.copyOf(names);
        this.seen = new AtomicReferenceArray<>(names.size());
    }

    /** A place has answered in that incarnation. */
    synchronized void saw(int place, Incarnation life) {
        seen.set(place, life);
    }

    /**
     * Does something before any place is seen in another incarnation.
     *
     * @param all as {@link #all} was
     * @return false, and nothing was done, if one has been seen since
     */
    synchronized boolean whileIn(Incarnation all, Runnable action) {
        if (!all.equals(all())) {
            return false;
        }
        action.run();
        return true;
    }

    /** All of them as one. A place that is away counts as it was seen last. */
    Incarnation all() {
        return all(Map.of());
    }

    /**
     * The same for what was read in these lives: one of them may be over, and another one seen
     * since.
     */
    Incarnation all(Map<Integer, Incarnation> read) {
        return new Incarnation(
                IntStream.range(0, names.size())
                        .mapToObj(place -> read.getOrDefault(place, seen.get(place)))
                        .map(life -> life == null ? NOT_SEEN : life.value())
                        .collect(Collectors.joining(BETWEEN)));
    }

    /** Whether the place had not answered by then. */
    boolean lacks(int place, Incarnation all) {
        return lifeOf(place, all).equals(NOT_SEEN);
    }

    /**
     * @throws OtherIncarnationException if that is not of these places
     */
    private String lifeOf(int place, Incarnation all) {
        String[] lives = all.value().split(BETWEEN, -1);
        if (lives.length != names.size()) {
            throw new OtherIncarnationException(all, all());
        }
        return lives[place];
    }

    /**
     * That of one place.
     *
     * @param all as {@link #all} has made it
     * @throws UnavailableException if the place had not answered by then
     */
    Incarnation of(int place, Incarnation all) {
        if (lacks(place, all)) {
            throw new UnavailableException(
                    "place "
                            + names.get(place)
                            + " has not answered since this process began: positions are looked for"
                            + " when it does");
        }
        return new Incarnation(lifeOf(place, all));
    }
}
