package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment;
import dev.envelope.core.assignment.AckBook;
import dev.envelope.core.mailbox.Shard;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.pool.WorkerPool;
import java.util.Collection;
import java.util.function.BooleanSupplier;

/**
 * Waits, for a bounded time, until what is being saved has been saved and acked.
 *
 * <p>Threads: poll thread only; it keeps booking acks while it waits.
 */
final class Drain {

    /** A turn that ends without an ack wakes nobody: so the end of turns is looked for. */
    private static final long LOOK_EVERY_NANOS = 5_000_000;

    private final WorkerPool pool;
    private final Shards shards;
    private final AckBook acks;
    private final Environment environment;

    Drain(WorkerPool pool, Shards shards, AckBook acks, Environment environment) {
        this.pool = pool;
        this.shards = shards;
        this.acks = acks;
        this.environment = environment;
    }

    /**
     * Lets no message of these enter a turn any more, and waits for the turns that run now.
     *
     * @return false if the deadline came first
     */
    boolean closeAndAwaitTurns(Collection<Commitment> leaving, long deadline) {
        leaving.forEach(commitment -> commitment.epoch().close());
        tellShards();
        BooleanSupplier ended = pool.running().barrier();
        boolean allEnded = ended.getAsBoolean();
        while (!allEnded && environment.ticker().nanoTime() < deadline) {
            long left = deadline - environment.ticker().nanoTime();
            environment.parker().park(Math.min(left, LOOK_EVERY_NANOS));
            acks.turn();
            allEnded = ended.getAsBoolean();
        }
        acks.turn();
        return allEnded;
    }

    /** Has the shards forget the messages of epochs that have ended. */
    void tellShards() {
        shards.epochsEnded();
    }

    /** Nothing runs and nothing goes on by itself; keys may wait for another attempt. */
    boolean isQuiet() {
        return shards.all().stream().allMatch(Shard::isQuiet);
    }
}
