package dev.envelope.idempotency.table;

import dev.envelope.core.api.Environment;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.source.RecordSource;
import dev.envelope.idempotency.store.table.TableStore;
import java.util.function.IntSupplier;
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
     * @param most how many slots there may be
     * @param slots among which it is divided now
     */
    public TableSource(TableStore store, int most, IntSupplier slots, Environment environment) {
        client = new TableConsumer(environment.parker(), slots);
        topics = new TableTopics(store.settings(), most);
        reader = new TableReader(store, client, environment.ticker()::nanoTime);
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
