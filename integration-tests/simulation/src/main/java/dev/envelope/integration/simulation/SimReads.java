package dev.envelope.integration.simulation;

import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.idempotency.command.DrivenReads;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.LogPosition;
import dev.envelope.idempotency.command.TopicsNow;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.RowReads;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * The reads that callers ask of one process, over the same network as its rows.
 *
 * <p>Threads: one thread.
 */
final class SimReads {

    /** A desk looks two hundred times a second, which would cost more than all the rest. */
    private static final int SLOWER = 10;

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final World world;
    private final TopicsNow topics;
    private final DrivenReads desk;
    private final ObjLongConsumer<Runnable> later;
    private long turns; // that were planned
    private long seenAt = -1;
    private long seenAtRead = -1;

    /**
     * @param rows of the database itself
     * @param later runs a task of the process after so many nanoseconds
     */
    SimReads(
            SimStore network,
            World world,
            TopicAdmin admin,
            RowReads rows,
            ObjLongConsumer<Runnable> later) {
        this.world = world;
        this.later = later;
        topics = new TopicsNow(admin, world.topics());
        Executor looker = task -> later.accept(task, 0);
        desk =
                new DrivenReads(
                        new OverNetwork(network, rows),
                        network,
                        topics,
                        looker,
                        task ->
                                later.accept(
                                        () -> {
                                            task.run();
                                            turn();
                                        },
                                        0),
                        () -> world.scheduler().now() / SLOWER);
    }

    private void turn() {
        long next = desk.turn();
        long number = ++turns;
        if (next != DrivenReads.NOT_DUE) {
            later.accept(
                    () -> {
                        if (number == turns) { // no other one was planned since
                            turn();
                        }
                    },
                    next * SLOWER);
        }
    }

    /** Looks at the topics; to be called every second. */
    boolean look() {
        long begun = world.scheduler().now();
        topics.look();
        seenAt = topics.trouble().isEmpty() ? begun : seenAt;
        return false;
    }

    /** When the topics were seen as they were known at the last look for rows. */
    long seenAt() {
        return seenAtRead;
    }

    /** A caller reads a row that is to be at least so far. */
    CompletableFuture<Read> read(String key, LogPosition atLeast) {
        CompletableFuture<Read> future = desk.read(key, atLeast, LONGEST);
        later.accept(this::turn, 0);
        return future;
    }

    private final class OverNetwork implements RowReads {

        private final SimStore network;
        private final RowReads rows;

        OverNetwork(SimStore network, RowReads rows) {
            this.network = network;
            this.rows = rows;
        }

        @Override
        public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
            seenAtRead = seenAt;
            return ask(() -> rows.read(keys, logs, mostBytes));
        }

        @Override
        public Map<String, Marks> marks(Collection<String> keys) {
            return ask(() -> rows.marks(keys));
        }

        /** As in {@link SimOutputStore}: once nothing is wrong any more, it is answered at once. */
        private <T> T ask(Supplier<T> work) {
            return world.faults().areOver() ? work.get() : network.call(work);
        }
    }
}
