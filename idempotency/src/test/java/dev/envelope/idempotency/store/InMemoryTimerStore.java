package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.util.Collection;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.TopicPartition;

/**
 * The timers of a database in memory.
 *
 * <p>Threads: thread-safe (the database is).
 */
public final class InMemoryTimerStore implements TimerStore {

    private final InMemoryDatabase database;
    private final ToIntFunction<Incarnation> relay;

    /**
     * @param relay the number that is written on firings
     */
    public InMemoryTimerStore(InMemoryDatabase database, ToIntFunction<Incarnation> relay) {
        this.database = database;
        this.relay = relay;
    }

    @Override
    public Look fire(Collection<TopicPartition> owned, int most) {
        return database.fire(owned, most, relay);
    }
}
