package dev.envelope.idempotency.command;

import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A command that is under way, and those that called for it.
 *
 * <p>Threads: one thread, that of {@link CommandDesk}.
 */
final class UnderWay {

    /**
     * One that has called for it.
     *
     * @param number of all that have called, in their order
     * @param deadline until when it waits
     * @param wantsAnswer whether it waits longer than until the command is in the log
     * @param isFirst whether the command is produced for it; the others have joined
     */
    record Caller(
            UnderWay of,
            long number,
            CompletableFuture<Outcome> future,
            long deadline,
            boolean wantsAnswer,
            boolean isFirst) {}

    private final CommandId id;
    private final long begun;
    private final List<Caller> callers = new ArrayList<>();

    /** Null once the brokers have answered. */
    private @Nullable Command command;

    /** Null until it is in the log. */
    private @Nullable LogPosition at;

    private boolean isPut;

    UnderWay(Command command, long begun) {
        this.id = Lookup.id(command);
        this.command = command;
        this.begun = begun;
    }

    CommandId id() {
        return id;
    }

    /** When it came or, once it was given to the producer, when that was. */
    long begun() {
        return begun;
    }

    @Nullable Command command() {
        return command;
    }

    @Nullable LogPosition at() {
        return at;
    }

    /** Whether it was given to the producer. */
    boolean isPut() {
        return isPut;
    }

    void put() {
        isPut = true;
    }

    void written(LogPosition position) {
        at = position;
    }

    /**
     * What to tell its callers as long as it is not answered.
     *
     * @param unknown if the brokers have not said whether it is in the log
     * @param busy if it was not put there
     */
    Outcome withoutAnswer(Outcome unknown, Outcome busy) {
        LogPosition known = at;
        if (known != null) {
            return new Outcome.TimeOver(known);
        }
        return isPut ? unknown : busy;
    }

    /** Forgets the bytes; returns how many they were. */
    long drop() {
        Command its = command;
        command = null;
        return its == null ? 0 : its.bytes();
    }

    Caller join(
            long number, CompletableFuture<Outcome> future, long deadline, boolean wantsAnswer) {
        boolean isFirst = callers.isEmpty() && !isPut;
        Caller caller = new Caller(this, number, future, deadline, wantsAnswer, isFirst);
        callers.add(caller);
        return caller;
    }

    /** Whether somebody still waits. */
    boolean isAwaited() {
        return callers.stream().anyMatch(it -> !it.future().isDone());
    }

    /** Takes those out that are meant. */
    List<Caller> take(Predicate<Caller> which) {
        List<Caller> taken = new ArrayList<>();
        for (Iterator<Caller> each = callers.iterator(); each.hasNext(); ) {
            Caller caller = each.next();
            if (which.test(caller)) {
                each.remove();
                taken.add(caller);
            }
        }
        return taken;
    }
}
