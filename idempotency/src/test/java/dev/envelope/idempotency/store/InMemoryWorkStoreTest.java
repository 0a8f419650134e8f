package dev.envelope.idempotency.store;

import static java.util.stream.Collectors.joining;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.InMemoryWorkStore.RowConnection;
import dev.envelope.idempotency.store.InMemoryWorkStore.Way;
import dev.envelope.idempotency.work.DoneBefore.Place;
import dev.envelope.idempotency.work.WorkStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

class InMemoryWorkStoreTest extends WorkStoreContract {

    private final InMemoryDatabase database = new InMemoryDatabase();

    @Override
    protected WorkStore open() {
        return new InMemoryWorkStore(database, Way.AT_HAND);
    }

    @Override
    protected Checkpoints checkpoints() {
        return new InMemoryCheckpoints(database);
    }

    @Override
    protected void write(@Nullable Connection connection, long offset) throws SQLException {
        ((RowConnection) Objects.requireNonNull(connection)).write(Long.toString(offset));
    }

    @Override
    protected String effects() {
        return database.handlerRows().stream().sorted().collect(joining(" "));
    }

    @Override
    protected String marks() {
        return database.marks().stream()
                .map(Place::offset)
                .sorted()
                .map(String::valueOf)
                .collect(joining(" "));
    }
}
