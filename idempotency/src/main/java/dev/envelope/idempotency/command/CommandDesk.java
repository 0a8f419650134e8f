package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.command.Lookup.Found;
import dev.envelope.idempotency.command.Lookup.Place;
import dev.envelope.idempotency.command.Outcome.Reason;
import dev.envelope.idempotency.command.UnderWay.Caller;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The commands that are under way. A command is looked for first: an answer that is there ends it.
 * Otherwise it is put into the log, and looked for again and again while somebody waits. What
 * blocks is done elsewhere; here is only what follows from it.
 *
 * <p>Threads: one thread; what is done elsewhere comes back as a task of it.
 */
final class CommandDesk {

    /** Between two looks for commands that are in the log. */
    static final long PACE = Duration.ofMillis(5).toNanos();

    /** Behind a look that failed. */
    static final long PACE_IN_TROUBLE = Duration.ofMillis(250).toNanos();

    /** How long a command may wait for its first look. */
    static final long FIRST_LOOK = Duration.ofSeconds(2).toNanos();

    /** A partition that has not acknowledged for so long gets no more commands. */
    static final long STALLED = Duration.ofMillis(1_500).toNanos();

    /** How long a command that nobody waits for any more can be joined by a repeated one. */
    static final long REMEMBERED = Duration.ofSeconds(60).toNanos();

    private static final int MOST_REMEMBERED = 10_000;
    private static final int MOST_FRESH_IN_A_LOOK = 2_000;
    private static final String NO_DATABASE = "the database does not answer";
    private static final String NO_ROOM = "the brokers take nothing at present";
    private static final String CLOSING = "the process is ending";

    private final Lookup lookup;
    private final Executor looker;
    private final CommandLog log;
    private final Room room;
    private final Runnable onWritten;
    private final Executor self;
    private final LongSupplier nanoTime;

    private final Map<CommandId, UnderWay> all = new HashMap<>();

    /** Those that were not looked for yet, in the order in which they came. */
    private final Set<UnderWay> fresh = new LinkedHashSet<>();

    /** Those that are in the log and that somebody waits for. */
    private final Set<UnderWay> inLog = new LinkedHashSet<>();

    /** Those of which a save of this process has told since the last look. */
    private final Set<CommandId> told = new LinkedHashSet<>();

    /** Those that are in the log and that nobody waits for any more, with the end of their time. */
    private final ArrayDeque<Remembered> remembered = new ArrayDeque<>();

    private final TreeSet<Caller> byDeadline =
            new TreeSet<>(
                    Comparator.comparingLong(Caller::deadline).thenComparingLong(Caller::number));
    private final Unacked unacked = new Unacked();

    private long callers;
    private boolean isLooking;
    private long lookBegan;
    private long nextLook;

    private record Remembered(UnderWay command, long until) {}

    /**
     * @param looker where looks run, one at a time
     * @param onWritten called for each command that is in the log
     * @param self runs tasks on the desk's own thread
     */
    CommandDesk(
            Lookup lookup,
            Executor looker,
            CommandLog log,
            Room room,
            Runnable onWritten,
            Executor self,
            LongSupplier nanoTime) {
        this.lookup = lookup;
        this.looker = looker;
        this.log = log;
        this.room = room;
        this.onWritten = onWritten;
        this.self = self;
        this.nanoTime = nanoTime;
        this.nextLook = nanoTime.getAsLong();
    }

    /** Takes a command, whose bytes have been counted. */
    void take(Command command, Duration wait, CompletableFuture<Outcome> future) {
        long now = nanoTime.getAsLong();
        UnderWay known = all.get(Lookup.id(command));
        if (known != null) {
            room.free(command.bytes());
            join(known, now, wait, future);
        } else if (isLooking && now - lookBegan > FIRST_LOOK / 2) {
            room.free(command.bytes());
            future.complete(noDatabase(NO_DATABASE));
        } else {
            UnderWay taken = new UnderWay(command, now);
            all.put(taken.id(), taken);
            fresh.add(taken);
            join(taken, now, wait, future);
        }
    }

    private void join(
            UnderWay command, long now, Duration wait, CompletableFuture<Outcome> future) {
        LogPosition at = command.at();
        boolean wantsAnswer = !wait.isZero();
        if (at != null && !wantsAnswer) {
            future.complete(new Outcome.Accepted(at));
            return;
        }
        // The producer's own time-out tells those that wait only for the log.
        long deadline = wantsAnswer ? now + wait.toNanos() : Long.MAX_VALUE;
        Caller caller = command.join(++callers, future, deadline, wantsAnswer);
        if (wantsAnswer) {
            byDeadline.add(caller);
        }
        if (at != null) {
            inLog.add(command);
        }
    }

    /** The answer to a command was saved just now: it is looked for without waiting. */
    void saved(CommandId id) {
        UnderWay command = all.get(id);
        if (command != null && command.isPut()) {
            told.add(id);
        }
    }

    /** Does what is due; returns in how many nanoseconds it has to be called again. */
    long turn() {
        long now = nanoTime.getAsLong();
        endDeadlines(now);
        forget(now);
        while (!fresh.isEmpty() && now - fresh.iterator().next().begun() > FIRST_LOOK) {
            end(fresh.iterator().next(), noDatabase(NO_DATABASE));
        }
        boolean isDue = !inLog.isEmpty() && now - nextLook >= 0;
        if (!isLooking && (isDue || !fresh.isEmpty() || !told.isEmpty())) {
            look(now, isDue);
        }
        return nanosToNext(now);
    }

    private long nanosToNext(long now) {
        long next = byDeadline.isEmpty() ? OwnThread.NOT_DUE : byDeadline.first().deadline() - now;
        if (!isLooking && !inLog.isEmpty()) {
            next = Math.min(next, nextLook - now);
        }
        if (!fresh.isEmpty()) {
            next = Math.min(next, fresh.iterator().next().begun() + FIRST_LOOK - now + 1);
        }
        return Math.max(0, next);
    }

    private void endDeadlines(long now) {
        while (!byDeadline.isEmpty() && byDeadline.first().deadline() - now <= 0) {
            timeOver(byDeadline.first(), now);
        }
    }

    private void timeOver(Caller caller, long now) {
        UnderWay command = caller.of();
        command.take(it -> it.number() == caller.number());
        Outcome unknown =
                new Outcome.Unknown(Reason.BROKERS, "the brokers have not acknowledged it yet");
        finish(caller, command.withoutAnswer(unknown, noDatabase(NO_DATABASE)));
        if (command.isAwaited()) {
            return;
        } else if (command.at() != null) {
            rest(command, now);
        } else if (!command.isPut()) {
            remove(command);
        }
    }

    /** Nobody waits for it any more, but it may be joined for a while. */
    private void rest(UnderWay command, long now) {
        inLog.remove(command);
        remembered.add(new Remembered(command, now + REMEMBERED));
    }

    private void forget(long now) {
        while (!remembered.isEmpty()
                && (remembered.size() > MOST_REMEMBERED
                        || remembered.element().until() - now <= 0)) {
            UnderWay oldest = remembered.remove().command();
            if (!oldest.isAwaited()) {
                remove(oldest);
            }
        }
    }

    private void look(long now, boolean isDue) {
        List<UnderWay> first = new ArrayList<>();
        List<Command> commands = new ArrayList<>();
        for (UnderWay each : fresh) {
            Command its = each.command();
            if (its != null && first.size() < MOST_FRESH_IN_A_LOOK) {
                first.add(each);
                commands.add(its);
            }
        }
        Set<CommandId> waiting = new LinkedHashSet<>(told);
        told.clear();
        if (isDue) {
            letRest(now);
            inLog.forEach(it -> waiting.add(it.id()));
        }
        if (commands.isEmpty() && waiting.isEmpty()) {
            return;
        }
        isLooking = true;
        lookBegan = now;
        looker.execute(() -> look(first, commands, waiting, isDue));
    }

    /** Forgets callers that are gone, and lets those commands rest that had no others. */
    private void letRest(long now) {
        for (UnderWay command : List.copyOf(inLog)) {
            command.take(it -> it.future().isDone()).forEach(byDeadline::remove);
            if (!command.isAwaited()) {
                rest(command, now);
            }
        }
    }

    /** Where looks run. */
    private void look(
            List<UnderWay> first, List<Command> commands, Set<CommandId> waiting, boolean wasDue) {
        Found found = null;
        String trouble = NO_DATABASE;
        try {
            found = lookup.look(commands, waiting);
        } catch (UnavailableException e) {
            trouble = Words.describe(e);
        } finally { // whatever it threw
            Found its = found;
            String why = trouble;
            self.execute(() -> looked(first, wasDue, its, why));
        }
    }

    private void looked(
            List<UnderWay> first, boolean wasDue, @Nullable Found found, String trouble) {
        long now = nanoTime.getAsLong();
        isLooking = false;
        if (found == null) {
            first.forEach(it -> end(it, noDatabase(trouble)));
            nextLook = now + PACE_IN_TROUBLE;
            return;
        }
        if (wasDue) { // a long look is followed by as long a pause, unless it hung
            nextLook = now + Math.min(FIRST_LOOK, Math.max(PACE, now - lookBegan));
        }
        found.answers().forEach((id, answer) -> settle(id, answer));
        boolean hasRoom = true;
        for (UnderWay command : first) {
            boolean isOpen = all.get(command.id()) == command;
            Place place = found.places().get(command.id());
            if (isOpen && place != null && hasRoom) {
                fresh.remove(command);
                hasRoom = put(command, place, now);
            } else if (isOpen && place != null) { // each would wait for room again
                end(command, new Outcome.Busy(Reason.BROKERS, NO_ROOM));
            } else if (isOpen) {
                found.trouble(command.id()).ifPresent(busy -> end(command, busy));
            }
        }
    }

    private Outcome.Busy noDatabase(String why) {
        return new Outcome.Busy(Reason.DATABASE, why, lookup.place());
    }

    private void settle(CommandId id, Answer answer) {
        UnderWay command = all.get(id);
        if (command != null) {
            boolean isNew = !command.isPut();
            for (Caller caller : command.take(it -> true)) {
                finish(caller, new Outcome.Settled(answer, isNew || !caller.isFirst()));
            }
            remove(command);
        }
    }

    /** Puts a command where it belongs; false if there was no room. */
    private boolean put(UnderWay command, Place place, long now) {
        String trouble = log.trouble().orElse("");
        Command its = command.command();
        if (place.isOther()) {
            end(command, new Outcome.OtherPartition(log.topic(), place.there(), place.here()));
        } else if (!trouble.isEmpty() || its == null) {
            end(command, new Outcome.Busy(Reason.BROKERS, trouble));
        } else if (unacked.nanos(place.here(), now) > STALLED) {
            end(
                    command,
                    new Outcome.Busy(
                            Reason.BROKERS,
                            "the brokers do not acknowledge for partition " + place.here()));
        } else {
            command.put();
            unacked.put(place.here(), now);
            return log.put(
                    place.here(),
                    its,
                    result -> self.execute(() -> answered(command, place.here(), result)));
        }
        return true;
    }

    private void answered(UnderWay command, int partition, Put result) {
        unacked.answered(partition);
        room.free(command.drop());
        if (result instanceof Put.Written written) {
            written(command, new LogPosition(log.topic(), partition, written.offset()));
        } else if (result instanceof Put.Failed failed) {
            end(command, failed.outcome());
        }
    }

    private void written(UnderWay command, LogPosition at) {
        onWritten.run();
        command.written(at);
        for (Caller caller : command.take(it -> !it.wantsAnswer())) {
            finish(caller, new Outcome.Accepted(at));
        }
        if (all.get(command.id()) != command) {
            return; // settled before the brokers' answer came
        } else if (command.isAwaited()) {
            inLog.add(command);
        } else { // whoever sends it again, to wait for the answer, is not to put it again
            rest(command, nanoTime.getAsLong());
        }
    }

    private void end(UnderWay command, Outcome outcome) {
        command.take(it -> true).forEach(caller -> finish(caller, outcome));
        remove(command);
    }

    private void finish(Caller caller, Outcome outcome) {
        byDeadline.remove(caller);
        caller.future().complete(outcome);
    }

    private void remove(UnderWay command) {
        if (all.get(command.id()) == command) {
            all.remove(command.id());
        }
        fresh.remove(command);
        inLog.remove(command);
        if (!command.isPut()) { // else the producer still has the bytes, or has had them
            room.free(command.drop());
        }
    }

    /** Gives each caller an outcome. */
    void close() {
        Outcome unknown = new Outcome.Unknown(Reason.ENDING, CLOSING);
        Outcome busy = new Outcome.Busy(Reason.ENDING, CLOSING);
        List.copyOf(all.values()).forEach(it -> end(it, it.withoutAnswer(unknown, busy)));
    }
}
