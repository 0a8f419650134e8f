package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.place.CallersStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows for callers outside, those of many callers in one statement, from the primary.
 *
 * <p>Threads: thread-safe. Futures are completed on its own thread: what runs behind them must not
 * block.
 */
public final class EntityReads implements AutoCloseable {

    private static final String ENDING = "the process is ending";

    private final CallersStore store;
    private final TopicsNow topics;
    private final Room room;
    private final List<AtPlace> places = new ArrayList<>();
    private final OwnThread own;
    private volatile boolean isClosing;

    /**
     * The reads at one place.
     *
     * @param room for as many callers as may wait for it
     */
    private record AtPlace(ReadDesk desk, OwnThread looker, Room room) {}

    /**
     * The rows of some keys. A key without a row is missing.
     *
     * @param unanswered the keys at places that don't answer, or where too many wait
     * @param away the places among these that don't answer
     * @param isOneMoment whether all rows are as of the same moment
     */
    public record Rows(
            Map<String, Entity> entities,
            Set<String> unanswered,
            Set<String> away,
            boolean isOneMoment) {}

    /** The database does not answer. */
    public static final class AwayException extends UnavailableException {

        private static final long serialVersionUID = 1L;
        private final String place;

        public AwayException(String place, String why) {
            super(why);
            this.place = place;
        }

        /** Which one; empty where rows are not divided. */
        public String place() {
            return place;
        }
    }

    /** The rows are too large to be read together: ask for fewer. */
    public static final class TooLargeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }

    /** What a read that waits has found. */
    public sealed interface Read {

        /**
         * The offset is passed.
         *
         * @param entity null if the key has no row
         */
        record Found(@Nullable Entity entity) implements Read {}

        /** The offset was not passed in time. */
        record TimeOver() implements Read {}

        /** The application reads no such partition. */
        record UnknownPartition(String why) implements Read {}

        /**
         * The topic was deleted and created again, and nobody has said yet what becomes of that:
         * its offsets can't be compared with rows.
         */
        record Recreated(String why) implements Read {}
    }

    /**
     * Opens them.
     *
     * @param topics looked at by somebody else
     * @param limits how many reads may be under way, and how large may be what was read for them
     */
    public EntityReads(
            CallersStore store, TopicsNow topics, Commands.Limits limits, LongSupplier nanoTime) {
        this.store = store;
        this.topics = topics;
        this.room = new Room(limits.waiting(), limits.bytes());
        for (CallersStore.AtPlace its : store.places()) {
            OwnThread looker = OwnThread.looker("entity-rows", its.name());
            places.add(
                    new AtPlace(
                            new ReadDesk(
                                    new ReadLookup(its, topics, nanoTime),
                                    looker,
                                    this::run,
                                    room,
                                    nanoTime),
                            looker,
                            room.part(store.places().size())));
        }
        this.own = new OwnThread("entity-reads", this::turn, this::end);
    }

    /** One thread for all: a desk never blocks. */
    private long turn() {
        return places.stream().mapToLong(it -> it.desk.turn()).min().orElse(OwnThread.NOT_DUE);
    }

    private void end() {
        places.forEach(it -> it.desk.close());
    }

    private void run(Runnable task) {
        own.execute(task);
    }

    /**
     * The rows of these keys. At one place they are read together; a place that does not answer
     * takes from the others' rows nothing but time.
     *
     * @param over completed by the caller once it has its answer, or is gone: until then the read
     *     is under way at each place, and what was read is counted
     * @return completed with an {@link UnavailableException} if no place answers, with a {@link
     *     TooLargeException} if the rows are too large
     */
    public CompletableFuture<Rows> read(Collection<String> keys, CompletableFuture<?> over) {
        Map<Integer, Set<String>> byPlace =
                keys.stream().collect(Collectors.groupingBy(store::placeOf, Collectors.toSet()));
        Map<Set<String>, CompletableFuture<Map<String, Entity>>> parts = new HashMap<>();
        byPlace.forEach((place, its) -> parts.put(its, read(places.get(place), its, over)));
        boolean isOneMoment = keys.stream().map(store::slotOf).distinct().count() <= 1;
        return CompletableFuture.allOf(parts.values().toArray(CompletableFuture[]::new))
                .handle((it, failure) -> together(parts, isOneMoment));
    }

    private CompletableFuture<Map<String, Entity>> read(
            AtPlace place, Set<String> keys, CompletableFuture<?> over) {
        CompletableFuture<Map<String, Entity>> future = new CompletableFuture<>();
        return admitted(place, future, over, () -> place.desk.take(keys, future, over));
    }

    private static Rows together(
            Map<Set<String>, CompletableFuture<Map<String, Entity>>> parts, boolean isOneMoment) {
        Rows all = new Rows(new HashMap<>(), new HashSet<>(), new TreeSet<>(), isOneMoment);
        @Nullable CompletionException failed = null;
        for (Map.Entry<Set<String>, CompletableFuture<Map<String, Entity>>> part :
                parts.entrySet()) {
            try {
                all.entities.putAll(part.getValue().join());
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof UnavailableException)) {
                    throw e;
                }
                failed = e;
                all.unanswered.addAll(part.getKey());
                if (e.getCause() instanceof AwayException away) {
                    all.away.add(away.place());
                }
            }
        }
        if (failed != null && all.unanswered.size() == keysOf(parts)) {
            throw failed;
        }
        return all;
    }

    private static int keysOf(Map<Set<String>, ?> parts) {
        return parts.keySet().stream().mapToInt(Set::size).sum();
    }

    /**
     * The row of a key, once everything of a partition up to an offset is applied or set aside.
     *
     * @param over as for reads that do not wait
     * @return completed with an {@link UnavailableException} if the database does not answer or too
     *     many wait, with a {@link TooLargeException} never: one row always fits
     */
    public CompletableFuture<Read> read(
            String key, LogPosition atLeast, Duration wait, CompletableFuture<?> over) {
        CompletableFuture<Read> future = new CompletableFuture<>();
        if (!topics.names().contains(atLeast.topic())) {
            future.complete(
                    new Read.UnknownPartition(
                            "this application does not read a topic " + atLeast.topic()));
            return future;
        }
        AtPlace place = places.get(store.placeOf(key));
        return admitted(
                place, future, over, () -> place.desk.take(key, atLeast, wait, future, over));
    }

    private <T> CompletableFuture<T> admitted(
            AtPlace place, CompletableFuture<T> future, CompletableFuture<?> over, Runnable take) {
        if (isClosing) {
            future.completeExceptionally(new UnavailableException(ENDING));
            return future;
        } else if (!place.room.enter()) {
            future.completeExceptionally(new UnavailableException("too many reads are under way"));
            return future;
        }
        var unused =
                over.whenComplete(
                        (it, failure) -> {
                            future.cancel(false); // it is gone, if it has no answer yet
                            place.room.leave();
                        });
        own.execute(take);
        if (isClosing) { // its thread may have ended in between
            future.completeExceptionally(new UnavailableException(ENDING));
        }
        return future;
    }

    /** How many reads are under way. */
    public int waiting() {
        return room.waiting();
    }

    /** Completes what is under way, with an exception, and ends its threads. */
    @Override
    public void close() {
        isClosing = true;
        OwnThread.close(
                Stream.concat(Stream.of(own), places.stream().map(it -> it.looker)).toList());
    }
}
