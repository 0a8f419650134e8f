package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryRowReads;
import dev.envelope.idempotency.store.InMemorySourceCopies;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.reply.InMemoryReplies;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Three places with four slots, of which the last one has two. What is of sources, and what callers
 * outside want, can be asked there, unless a place is away or hangs.
 *
 * <p>Threads: thread-safe (concurrent collections), but for what happens before an answer.
 */
public final class PlacesInMemory {

    public static final Division DIVISION = new Division(List.of(0, 1, 2, 2));

    private final List<InMemoryDatabase> databases =
            IntStream.range(0, DIVISION.slots())
                    .mapToObj(
                            slot ->
                                    new InMemoryDatabase(
                                            "place-" + DIVISION.placeOf(slot), () -> 0))
                    .toList();
    private final List<InMemoryReplies> replies =
            databases.stream().map(it -> new InMemoryReplies(Clock.systemUTC())).toList();
    private final Set<Integer> away = ConcurrentHashMap.newKeySet(); // places
    private final Map<Integer, CountDownLatch> hanging = new ConcurrentHashMap<>(); // by place
    private final AtomicInteger asked = new AtomicInteger();
    private final Map<Integer, Runnable> whenAsked = new ConcurrentHashMap<>(); // by place

    /** By their slots. */
    public List<InMemoryDatabase> databases() {
        return databases;
    }

    /** The answers to commands, by their slots. */
    public List<InMemoryReplies> replies() {
        return replies;
    }

    /** The numbers of the places that don't answer. */
    public Set<Integer> away() {
        return away;
    }

    /** Whoever asks a place waits from now on. */
    public void hang(int place) {
        hanging.put(place, new CountDownLatch(1));
    }

    /** A place that hung is away. */
    public void giveUp(int place) {
        away.add(place);
        CountDownLatch waits = hanging.remove(place);
        if (waits != null) {
            waits.countDown();
        }
    }

    /** How often places were asked for anything. */
    int asked() {
        return asked.get();
    }

    /** A key whose row is in that slot. */
    public static String keyIn(int slot, String prefix) {
        return IntStream.iterate(0, it -> it + 1)
                .mapToObj(it -> prefix + it)
                .filter(it -> DIVISION.slotOf(it) == slot)
                .findFirst()
                .orElseThrow();
    }

    /** A row as of some marks. */
    public void save(String key, Marks marks) {
        InMemoryDatabase its = databases.get(DIVISION.slotOf(key));
        Snapshot before = its.rows().get(key);
        boolean[] saved =
                new InMemoryStateStore(its)
                        .save(
                                List.of(
                                        new Change(
                                                key,
                                                before == null ? 0 : before.version(),
                                                "1".getBytes(StandardCharsets.UTF_8),
                                                marks,
                                                null,
                                                0,
                                                new Change.Beside(
                                                        List.of(),
                                                        List.of(),
                                                        HandlerEffects.NONE))),
                                Patience.WAIT,
                                its.incarnation());
        if (!saved[0]) {
            throw new IllegalStateException(key + " was not saved");
        }
    }

    /** Something happens before a place answers the next time. */
    void whenAsked(int place, Runnable action) {
        whenAsked.put(place, action);
    }

    /** By their numbers. */
    public List<Place> all() {
        List<Place> all = new ArrayList<>();
        for (int place = 0; place < DIVISION.places(); place++) {
            SortedMap<Integer, Store> slots = new TreeMap<>();
            for (int slot : DIVISION.slotsAt(place)) {
                slots.put(slot, store(place, slot));
            }
            InMemoryDatabase any = databases.get(DIVISION.slotsAt(place).get(0));
            all.add(
                    new Place(
                            "abc".substring(place, place + 1), new InMemoryStateStore(any), slots));
        }
        return all;
    }

    private Store store(int place, int slot) {
        InMemoryDatabase database = databases.get(slot);
        Map<String, Object> ports =
                Map.of(
                        "checkpoints",
                        reached(Checkpoints.class, place, new InMemoryCheckpoints(database)),
                        "sources",
                        reached(SourceCopies.class, place, new InMemorySourceCopies(database)),
                        "reads",
                        reached(RowReads.class, place, new InMemoryRowReads(database)),
                        "replies",
                        reached(ReplyStore.class, place, replies.get(slot)));
        return (Store)
                Proxy.newProxyInstance(
                        Store.class.getClassLoader(),
                        new Class<?>[] {Store.class},
                        (store, method, arguments) -> ports.get(method.getName()));
    }

    /** A port of a place that may be away. */
    private <T> T reached(Class<T> port, int place, T behind) {
        return port.cast(
                Proxy.newProxyInstance(
                        port.getClassLoader(),
                        new Class<?>[] {port},
                        (proxy, method, arguments) -> {
                            Runnable action = whenAsked.remove(place);
                            if (action != null) {
                                action.run();
                            }
                            asked.incrementAndGet();
                            CountDownLatch waits = hanging.get(place);
                            if (waits != null) {
                                waits.await();
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
