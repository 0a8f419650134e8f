package dev.envelope.idempotency.table;

import dev.envelope.core.api.Environment;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.source.RecordSource;
import dev.envelope.idempotency.store.table.TableStore;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows are messages.
 *
 * <p>Threads: one thread calls {@link #turn}; its parts say who may call them.
 */
public final class TableSource implements RecordSource {

    private final TableConsumer client;
    private final TableTopics topics;
    private final TableReader reader;

    /**
     * @param slots among which it is divided
     */
    public TableSource(TableStore store, int slots, Environment environment) {
        client = new TableConsumer(environment.parker());
        topics = new TableTopics(store.settings(), slots);
        reader = new TableReader(store, client, slots, environment.ticker()::nanoTime);
    }

    /** Reads rows; returns whether there may be more at once. */
    public boolean turn() {
        return reader.turn();
    }

    @Override
    public Consumer<byte @Nullable [], byte @Nullable []> client() {
        return client;
    }

    @Override
    public TopicAdmin topics() {
        return topics;
    }

    @Override
    public void close() {
        // The store is closed by who has opened it.
    }
}
