package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemorySourceCopies;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Three places with four slots, of which the last one has two. What is of sources can be asked
 * there, unless a place is away.
 *
 * <p>Threads: one thread.
 */
final class PlacesInMemory {

    static final Division DIVISION = new Division(List.of(0, 1, 2, 2));

    private final List<InMemoryDatabase> databases =
            IntStream.range(0, DIVISION.slots())
                    .mapToObj(
                            slot ->
                                    new InMemoryDatabase(
                                            "place-" + DIVISION.placeOf(slot), () -> 0))
                    .toList();
    private final Set<Integer> away = new HashSet<>(); // places
    private Runnable whenTheLastIsAsked = () -> {};

    /** By their slots. */
    List<InMemoryDatabase> databases() {
        return databases;
    }

    /** The numbers of the places that don't answer. */
    Set<Integer> away() {
        return away;
    }

    /** Something happens before the last place answers the next time. */
    void whenTheLastIsAsked(Runnable action) {
        whenTheLastIsAsked = action;
    }

    /** By their numbers. */
    List<Place> all() {
        List<Place> all = new ArrayList<>();
        for (int place = 0; place < DIVISION.places(); place++) {
            SortedMap<Integer, Store> slots = new TreeMap<>();
            for (int slot : DIVISION.slotsAt(place)) {
                slots.put(slot, store(place, databases.get(slot)));
            }
            InMemoryDatabase any = databases.get(DIVISION.slotsAt(place).get(0));
            all.add(
                    new Place(
                            "abc".substring(place, place + 1), new InMemoryStateStore(any), slots));
        }
        return all;
    }

    private Store store(int place, InMemoryDatabase database) {
        Checkpoints its = reached(Checkpoints.class, place, new InMemoryCheckpoints(database));
        SourceCopies sources =
                reached(SourceCopies.class, place, new InMemorySourceCopies(database));
        return (Store)
                Proxy.newProxyInstance(
                        Store.class.getClassLoader(),
                        new Class<?>[] {Store.class},
                        (store, method, arguments) ->
                                method.getName().equals("checkpoints") ? its : sources);
    }

    /** A port of a place that may be away. */
    private <T> T reached(Class<T> port, int place, T behind) {
        return port.cast(
                Proxy.newProxyInstance(
                        port.getClassLoader(),
                        new Class<?>[] {port},
                        (proxy, method, arguments) -> {
                            if (place == DIVISION.places() - 1) {
                                Runnable action = whenTheLastIsAsked;
                                whenTheLastIsAsked = () -> {};
                                action.run();
                            }
                            if (away.contains(place)) {
                                throw new UnavailableException("connection refused");
                            }
                            try {
                                return method.invoke(behind, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }
}
