package dev.envelope.idempotency.command;

import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.command.Outcome.Reason;
import dev.envelope.idempotency.store.place.CallersStore;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;

/**
 * Puts commands into the log and waits for what becomes of them.
 *
 * <p>Threads: thread-safe. Futures are completed on its own thread: what runs behind them must not
 * block.
 */
public final class Commands implements AutoCloseable {

    private static final String ENDING = "the process is ending";
    private static final String OURS = "envelope.";

    private final CommandLog log;
    private final Room room;
    private final Counts counts = new Counts();
    private final ToIntFunction<String> placeOf;
    private final List<AtPlace> places = new ArrayList<>();
    private final OwnThread own;
    private volatile boolean isClosing;

    /**
     * The commands of the keys at one place.
     *
     * @param room for as many as may be under way there
     */
    private record AtPlace(String name, CommandDesk desk, OwnThread looker, Room room) {}

    /**
     * How much may be under way.
     *
     * @param waiting calls that have no outcome yet
     * @param bytes of commands that the brokers have not acknowledged yet, of the producer's
     *     buffer, and of rows that were read for callers: so many each
     */
    public record Limits(int waiting, long bytes) {}

    /**
     * What is under way, and what there was since the start.
     *
     * @param waiting calls that have no outcome yet
     * @param bytes of commands that the brokers have not acknowledged yet
     * @param produced records that are in the log
     * @param settled calls that got the answer to a command
     * @param repeated those of them for which nothing was produced
     * @param timeOver calls whose time was over
     * @param busy calls that were turned away, and those of which nobody knows
     */
    public record Status(
            int waiting,
            long bytes,
            long produced,
            long settled,
            long repeated,
            long timeOver,
            long busy) {}

    /**
     * @param lookups by the numbers of the places
     * @param placeOf the number of the place of a key
     */
    Commands(
            List<Lookup> lookups,
            ToIntFunction<String> placeOf,
            CommandLog log,
            Limits limits,
            LongSupplier nanoTime) {
        this.log = log;
        this.room = new Room(limits.waiting(), limits.bytes());
        this.placeOf = placeOf;
        for (Lookup lookup : lookups) {
            Room its = room.part(lookups.size());
            OwnThread looker = OwnThread.looker("command-answers", lookup.place());
            places.add(
                    new AtPlace(
                            lookup.place(),
                            new CommandDesk(
                                    lookup,
                                    looker,
                                    log,
                                    its,
                                    counts::produced,
                                    this::run,
                                    nanoTime),
                            looker,
                            its));
        }
        this.own = new OwnThread("commands", this::turn, this::end);
    }

    /**
     * Opens them; the log is closed with them.
     *
     * @param topics looked at by somebody else
     */
    public static Commands open(
            CallersStore store,
            TopicsNow topics,
            CommandLog log,
            Partitioner partitioner,
            Limits limits,
            LongSupplier nanoTime) {
        List<Lookup> lookups =
                store.places().stream()
                        .map(its -> new Lookup(its, topics, log.topic(), partitioner, nanoTime))
                        .toList();
        return new Commands(lookups, store::placeOf, log, limits, nanoTime);
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
     * Puts a command into the log, unless there is an answer to it already. A caller that is gone
     * may cancel the future; the command stays.
     *
     * @param wait how long to wait for the answer; {@link Duration#ZERO} to wait only until it is
     *     in the log
     * @return never completed with an exception
     */
    public CompletableFuture<Outcome> send(Command command, Duration wait) {
        Optional<String> fault = fault(command);
        AtPlace place = places.get(placeOf.applyAsInt(command.key()));
        if (fault.isPresent()) {
            return CompletableFuture.completedFuture(new Outcome.Refused(fault.get()));
        } else if (isClosing) {
            return busy(Reason.ENDING, ENDING, "");
        } else if (!place.room.enter()) {
            return busy(Reason.LIMITS, "too many commands are under way", place.name);
        } else if (!place.room.take(command.bytes())) {
            place.room.leave();
            return busy(
                    Reason.LIMITS,
                    "the commands that are under way are too large together",
                    place.name);
        }
        CompletableFuture<Outcome> future = new CompletableFuture<>();
        var unused =
                future.whenComplete(
                        (outcome, cancelled) -> {
                            place.room.leave();
                            if (outcome != null) {
                                counts.add(outcome);
                            }
                        });
        own.execute(() -> place.desk.take(command, wait, future));
        if (isClosing) { // its thread may have ended in between
            future.complete(new Outcome.Unknown(Reason.ENDING, ENDING));
        }
        return future;
    }

    /** A save of this process has left the answer to a command: whoever waits for it gets it. */
    public void saved(CommandId command) {
        if (!isClosing) { // else nobody runs what its thread is given
            AtPlace place = places.get(placeOf.applyAsInt(command.key()));
            own.execute(() -> place.desk.saved(command));
        }
    }

    private CompletableFuture<Outcome> busy(Reason reason, String why, String place) {
        Outcome busy = new Outcome.Busy(reason, why, place);
        counts.add(busy);
        return CompletableFuture.completedFuture(busy);
    }

    private Optional<String> fault(Command command) {
        String id = command.id();
        if (id.isEmpty() || id.length() > Reply.LONGEST_COMMAND || id.indexOf(0) >= 0) {
            return Optional.of(
                    "the id of a command has 1 to " + Reply.LONGEST_COMMAND + " characters");
        } else if (!RowKeys.canBeIndexed(command.key(), id)) { // it would have no answer
            return Optional.of("the key and the id of the command are too long together");
        }
        for (Header header : command.headers()) {
            if (header.key().startsWith(OURS)) {
                return Optional.of("headers that begin with " + OURS + " are not for callers");
            }
        }
        return command.bytes() > room.mostBytes()
                ? Optional.of("the command is larger than all may be together")
                : Optional.empty();
    }

    /** What is under way now. */
    public Status status() {
        return counts.with(room);
    }

    /** Gives each call that is under way an outcome, and ends its threads. */
    @Override
    public void close() {
        isClosing = true;
        own.execute(log::close); // what it tells at its end is still passed on
        OwnThread.close(
                Stream.concat(Stream.of(own), places.stream().map(it -> it.looker)).toList());
    }
}
