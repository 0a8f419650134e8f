package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.work.DoneBefore;
import dev.envelope.idempotency.work.DoneBefore.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * What handlers have written to a database in memory, the marks of their messages, and the
 * transactions that are not over.
 *
 * <p>Threads: guarded by the database.
 */
final class InMemoryWork {

    private final Map<Place, Integer> done; // leader epochs
    private final List<String> written;
    private final Map<Place, InMemoryTransaction> open = new HashMap<>();

    InMemoryWork() {
        done = new HashMap<>();
        written = new ArrayList<>();
    }

    /** A copy of what was committed. */
    InMemoryWork(InMemoryWork other) {
        done = new HashMap<>(other.done);
        written = new ArrayList<>(other.written);
    }

    List<String> written() {
        return List.copyOf(written);
    }

    Set<Place> marks() {
        return Set.copyOf(done.keySet());
    }

    void forget(BiPredicate<Place, Integer> which) {
        done.entrySet().removeIf(it -> which.test(it.getKey(), it.getValue()));
    }

    /** Whether another transaction, that is not over, is at one of these. */
    boolean isHeld(List<Message> messages) {
        open.values().removeIf(InMemoryTransaction::isGone);
        return messages.stream().map(Place::of).anyMatch(open::containsKey);
    }

    /** Marks those that nobody has marked; returns which they are. */
    Set<Place> mark(List<Message> messages, InMemoryTransaction by) {
        Set<Place> marked = new HashSet<>();
        for (Message message : messages) {
            Place place = Place.of(message);
            if (!done.containsKey(place)) {
                open.put(place, by);
                marked.add(place);
            }
        }
        return marked;
    }

    /** The leader epochs of marks among those that matter. */
    Map<Place, Integer> earlier(List<Message> messages, Set<Place> marked) {
        Map<Place, Integer> found = new HashMap<>();
        for (Place place : DoneBefore.asked(messages, marked)) {
            if (done.containsKey(place)) {
                found.put(place, done.get(place));
            }
        }
        return found;
    }

    void commit(Map<Place, Integer> marked, Collection<String> rows) {
        done.putAll(marked);
        written.addAll(rows);
        open.keySet().removeAll(marked.keySet());
    }

    void rollback(InMemoryTransaction transaction) {
        open.values().removeIf(transaction::equals);
    }
}
