package dev.envelope.idempotency.command;

import dev.envelope.idempotency.command.Outcome.Reason;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.reply.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
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
    private final CommandDesk desk;
    private final OwnThread looker;
    private final OwnThread own;
    private volatile boolean isClosing;

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

    Commands(Lookup lookup, CommandLog log, Limits limits, LongSupplier nanoTime) {
        this.log = log;
        this.room = new Room(limits.waiting(), limits.bytes());
        this.looker = new OwnThread("command-answers", () -> OwnThread.NOT_DUE, () -> {});
        this.desk =
                new CommandDesk(lookup, looker, log, room, counts::produced, this::run, nanoTime);
        this.own = new OwnThread("commands", desk::turn, desk::close);
    }

    /**
     * Opens them; the log is closed with them.
     *
     * @param topics looked at by somebody else
     */
    public static Commands open(
            Store store,
            TopicsNow topics,
            CommandLog log,
            Partitioner partitioner,
            Limits limits,
            LongSupplier nanoTime) {
        Lookup lookup =
                new Lookup(
                        store.replies(),
                        store.reads(),
                        new Sources(store.checkpoints(), topics, nanoTime),
                        topics,
                        log.topic(),
                        partitioner);
        return new Commands(lookup, log, limits, nanoTime);
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
        if (fault.isPresent()) {
            return CompletableFuture.completedFuture(new Outcome.Refused(fault.get()));
        } else if (isClosing) {
            return busy(Reason.ENDING, ENDING);
        } else if (!room.enter()) {
            return busy(Reason.LIMITS, "too many commands are under way");
        } else if (!room.take(command.bytes())) {
            room.leave();
            return busy(Reason.LIMITS, "the commands that are under way are too large together");
        }
        CompletableFuture<Outcome> future = new CompletableFuture<>();
        var unused =
                future.whenComplete(
                        (outcome, cancelled) -> {
                            room.leave();
                            if (outcome != null) {
                                counts.add(outcome);
                            }
                        });
        own.execute(() -> desk.take(command, wait, future));
        if (isClosing) { // its thread may have ended in between
            future.complete(new Outcome.Unknown(Reason.ENDING, ENDING));
        }
        return future;
    }

    private CompletableFuture<Outcome> busy(Reason reason, String why) {
        Outcome busy = new Outcome.Busy(reason, why);
        counts.add(busy);
        return CompletableFuture.completedFuture(busy);
    }

    private Optional<String> fault(Command command) {
        String id = command.id();
        if (id.isEmpty() || id.length() > Reply.LONGEST_COMMAND || id.indexOf(0) >= 0) {
            return Optional.of(
                    "the id of a command has 1 to " + Reply.LONGEST_COMMAND + " characters");
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
        own.close();
        looker.close();
    }
}
