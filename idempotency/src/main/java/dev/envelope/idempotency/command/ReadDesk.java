package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.ReadLookup.Found;
import dev.envelope.idempotency.command.ReadLookup.Verdict;
import dev.envelope.idempotency.command.ReadLookup.Wanted;
import dev.envelope.idempotency.store.row.RowReads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The reads that are under way. What blocks is done elsewhere; here is only what follows from it.
 *
 * <p>Threads: one thread; what is done elsewhere comes back as a task of it.
 */
final class ReadDesk {

    /** Between two looks for offsets that are not passed yet. */
    static final long PACE = Duration.ofMillis(5).toNanos();

    /** Behind a look that failed. */
    static final long PACE_IN_TROUBLE = Duration.ofMillis(250).toNanos();

    /** How long a read may wait for its first look. */
    static final long FIRST_LOOK = Duration.ofSeconds(2).toNanos();

    private static final int MOST_KEYS = 2_000;
    private static final long OVERHEAD_BYTES = 256; // of a row's marks, times, entries

    /** A read of so many keys at most does not wait behind larger ones. */
    private static final int FEW_KEYS = 20;

    private static final String NO_DATABASE = "the database does not answer";
    private static final String UNREAD = "callers do not read their answers";

    private final ReadLookup lookup;
    private final Executor looker;
    private final Executor self;
    private final Room room;
    private final LongSupplier nanoTime;

    /** Those of a few keys that were not looked for yet, in the order in which they came. */
    private final ArrayDeque<Caller> small = new ArrayDeque<>();

    /** Those of more keys, or whose rows are large; each look has one of them. */
    private final ArrayDeque<Caller> large = new ArrayDeque<>();

    /** Those whose offset was not passed at the last look. */
    private final TreeSet<Waiting> waiting =
            new TreeSet<>(
                    Comparator.comparingLong(Waiting::deadline).thenComparingLong(Waiting::number));

    /** Those that are being looked for the first time. */
    private List<Caller> looked = List.of();

    private long callers;
    private boolean isLooking;
    private boolean wasAlone; // the last look was for one large read
    private long lookBegan;
    private long nextLook;

    private sealed interface Caller {

        long begun();

        Set<String> keys();

        CompletableFuture<?> future();

        /** Completed when the caller has its answer, or is gone. */
        CompletableFuture<?> over();
    }

    /**
     * Reads what there is.
     *
     * @param isAlone whether its rows did not fit beside those of others
     */
    private record Plain(
            Set<String> keys,
            CompletableFuture<Map<String, Entity>> future,
            CompletableFuture<?> over,
            long begun,
            boolean isAlone)
            implements Caller {}

    /** Waits for an offset. */
    private record Waiting(
            Wanted wanted,
            CompletableFuture<Read> future,
            CompletableFuture<?> over,
            long begun,
            long deadline,
            long number,
            boolean isPassed)
            implements Caller {

        Waiting hasPassed() {
            return new Waiting(wanted, future, over, begun, deadline, number, true);
        }

        @Override
        public Set<String> keys() {
            return Set.of(wanted.key());
        }
    }

    /** What one look is for. */
    private record Round(List<Caller> first, List<Waiting> again, long mostBytes) {}

    /**
     * @param looker where looks run, one at a time
     * @param self runs tasks on the desk's own thread
     * @param room for rows until their callers have their answers; only desks of the same thread
     *     take from it
     */
    ReadDesk(ReadLookup lookup, Executor looker, Executor self, Room room, LongSupplier nanoTime) {
        this.room = room;
        this.lookup = lookup;
        this.looker = looker;
        this.self = self;
        this.nanoTime = nanoTime;
        this.nextLook = nanoTime.getAsLong();
    }

    /** Takes a read of what there is. */
    void take(
            Set<String> keys,
            CompletableFuture<Map<String, Entity>> future,
            CompletableFuture<?> over) {
        take(new Plain(keys, future, over, nanoTime.getAsLong(), false));
    }

    /** Takes a read that waits for an offset. */
    void take(
            String key,
            LogPosition at,
            Duration wait,
            CompletableFuture<Read> future,
            CompletableFuture<?> over) {
        long now = nanoTime.getAsLong();
        take(
                new Waiting(
                        new Wanted(key, at),
                        future,
                        over,
                        now,
                        now + wait.toNanos(),
                        ++callers,
                        false));
    }

    private void take(Caller caller) {
        if (isLooking && nanoTime.getAsLong() - lookBegan > FIRST_LOOK / 2) {
            away(caller, NO_DATABASE);
        } else {
            (caller.keys().size() > FEW_KEYS ? large : small).add(caller);
        }
    }

    private static void fail(Caller caller, String why) {
        caller.future().completeExceptionally(new UnavailableException(why));
    }

    private void away(Caller caller, String why) {
        caller.future().completeExceptionally(new EntityReads.AwayException(lookup.place(), why));
    }

    /** Does what is due; returns in how many nanoseconds it has to be called again. */
    long turn() {
        long now = nanoTime.getAsLong();
        while (!waiting.isEmpty() && waiting.first().deadline() - now <= 0) {
            timeOver(waiting.pollFirst());
        }
        looked.stream()
                .filter(it -> now - it.begun() > FIRST_LOOK)
                .forEach(it -> away(it, NO_DATABASE));
        for (ArrayDeque<Caller> fresh : List.of(small, large)) {
            while (!fresh.isEmpty() && now - fresh.element().begun() > FIRST_LOOK) {
                away(fresh.remove(), NO_DATABASE);
            }
        }
        boolean hasFresh = !small.isEmpty() || !large.isEmpty();
        if (!isLooking && (hasFresh || (!waiting.isEmpty() && now - nextLook >= 0))) {
            look(now);
        }
        long next = waiting.isEmpty() ? OwnThread.NOT_DUE : waiting.first().deadline() - now;
        if (!isLooking && !waiting.isEmpty()) {
            next = Math.min(next, nextLook - now);
        }
        for (Caller caller : looked) {
            if (!caller.future().isDone()) {
                next = Math.min(next, caller.begun() + FIRST_LOOK - now + 1);
            }
        }
        for (ArrayDeque<Caller> fresh : List.of(small, large)) {
            if (!fresh.isEmpty()) {
                next = Math.min(next, fresh.element().begun() + FIRST_LOOK - now + 1);
            }
        }
        return Math.max(0, next);
    }

    private void look(long now) {
        long most = Math.min(RowReads.MOST_BYTES, room.mostBytes() - room.bytes());
        Round round = new Round(firstLooks(), new ArrayList<>(), Math.max(1, most));
        waiting.removeIf(it -> it.future().isDone());
        if (now - nextLook >= 0 && !wasAlone) {
            round.again.addAll(waiting);
        }
        if (round.first.isEmpty() && round.again.isEmpty()) {
            return;
        }
        isLooking = true;
        lookBegan = now;
        looked = round.first;
        looker.execute(() -> look(round));
    }

    /**
     * As many as may be read at once: the small ones, and one large one. One whose rows are large
     * is read alone, in every second look.
     */
    private List<Caller> firstLooks() {
        List<Caller> taken = new ArrayList<>();
        boolean isAlone = large.peek() instanceof Plain plain && plain.isAlone;
        if (isAlone && (small.isEmpty() || !wasAlone)) {
            wasAlone = true;
            taken.add(large.remove());
            return taken;
        }
        wasAlone = false;
        int keys = 0;
        while (!small.isEmpty() && keys + small.element().keys().size() <= MOST_KEYS / 2) {
            keys += small.element().keys().size();
            taken.add(small.remove());
        }
        if (!large.isEmpty() && !isAlone) {
            taken.add(large.remove());
        }
        return taken;
    }

    /** Where looks run. */
    private void look(Round round) {
        Set<String> keys = new HashSet<>();
        Set<Wanted> first = new LinkedHashSet<>();
        Set<Wanted> again = new LinkedHashSet<>(); // whose time is over soonest, first
        for (Caller caller : round.first) {
            if (caller instanceof Waiting its) {
                first.add(its.wanted);
            } else {
                keys.addAll(caller.keys());
            }
        }
        round.again.forEach(it -> again.add(it.wanted));
        Found found = null;
        String trouble = NO_DATABASE;
        try {
            found = lookup.look(keys, first, again, round.mostBytes);
        } catch (UnavailableException e) {
            trouble = Words.describe(e);
        } finally { // whatever it threw
            Found its = found;
            String why = trouble;
            self.execute(() -> looked(round, its, why));
        }
    }

    private void looked(Round round, @Nullable Found found, String trouble) {
        long now = nanoTime.getAsLong();
        isLooking = false;
        looked = List.of();
        if (found == null) {
            round.first.forEach(it -> away(it, trouble));
            nextLook = now + PACE_IN_TROUBLE;
            return;
        }
        if (!round.again.isEmpty()) { // a long look is followed by as long a pause, unless it hung
            nextLook = now + Math.min(FIRST_LOOK, Math.max(PACE, now - lookBegan));
        }
        for (Caller caller : round.first) {
            String why =
                    caller.keys().stream()
                            .map(found.unanswered()::get)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse(null);
            if (why != null) {
                away(caller, why);
            } else if (caller instanceof Plain plain) {
                answer(plain, found, round);
            } else if (caller instanceof Waiting its) {
                answer(its, found);
            }
        }
        round.again.forEach(it -> answer(it, found));
    }

    private void answer(Plain caller, Found found, Round round) {
        boolean wasOnlyOne = round.first.size() + round.again.size() == 1;
        if (caller.keys.stream().noneMatch(found.leftOut()::contains)) {
            Map<String, Entity> its = new HashMap<>(found.entities());
            its.keySet().retainAll(caller.keys);
            if (hold(caller, its.values())) {
                caller.future.complete(its);
            }
        } else if (wasOnlyOne && round.mostBytes < most()) {
            fail(caller, UNREAD);
        } else if (wasOnlyOne) {
            caller.future.completeExceptionally(
                    new EntityReads.TooLargeException(
                            "the rows are too large to be read together"));
        } else {
            large.addFirst(
                    new Plain(caller.keys, caller.future, caller.over, nanoTime.getAsLong(), true));
        }
    }

    private long most() {
        return Math.min(RowReads.MOST_BYTES, room.mostBytes());
    }

    /** Counts what was read for a caller, until it is over; false if there is no room. */
    private boolean hold(Caller caller, Collection<Entity> entities) {
        long bytes = 0;
        for (Entity entity : entities) {
            byte[] state = entity.state();
            bytes += OVERHEAD_BYTES + (state == null ? 0 : state.length);
        }
        if (!room.take(bytes)) {
            fail(caller, UNREAD);
            return false;
        }
        long held = bytes;
        var unused = caller.over().whenComplete((it, failure) -> room.free(held));
        return true;
    }

    private void answer(Waiting caller, Found found) {
        waiting.remove(caller);
        Verdict verdict = found.verdicts().getOrDefault(caller.wanted, Verdict.NOT_YET);
        LogPosition at = caller.wanted.at();
        if (verdict == Verdict.PASSED && !found.leftOut().contains(caller.wanted.key())) {
            Entity entity = found.entities().get(caller.wanted.key());
            if (entity == null || hold(caller, List.of(entity))) {
                caller.future.complete(new Read.Found(entity));
            }
        } else if (verdict == Verdict.RECREATED) {
            caller.future.complete(
                    new Read.Recreated(
                            "topic "
                                    + at.topic()
                                    + " was deleted and created again: its offsets are not those"
                                    + " that the rows know"));
        } else if (verdict == Verdict.UNSURE) {
            fail(caller, "the brokers do not answer: the topic may have been made again");
        } else if (verdict == Verdict.UNKNOWN_PARTITION) {
            caller.future.complete(
                    new Read.UnknownPartition(
                            "topic " + at.topic() + " has no partition " + at.partition()));
        } else {
            waiting.add(verdict == Verdict.PASSED ? caller.hasPassed() : caller);
        }
    }

    /** What was passed has no room for its state, since other callers do not read theirs. */
    private static void timeOver(Waiting caller) {
        if (caller.isPassed) {
            fail(caller, UNREAD);
        } else {
            caller.future.complete(new Read.TimeOver());
        }
    }

    /** Completes each read that is under way with an exception. */
    void close() {
        looked.forEach(it -> fail(it, "the process is ending"));
        small.forEach(it -> fail(it, "the process is ending"));
        large.forEach(it -> fail(it, "the process is ending"));
        waiting.forEach(it -> fail(it, "the process is ending"));
    }
}
