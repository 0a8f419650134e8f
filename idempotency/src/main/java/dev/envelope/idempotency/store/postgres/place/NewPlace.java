package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.idempotency.store.postgres.place.SlotSchemas.Here;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Where a slot is moved to: one transaction, which holds a lock from its beginning to its end. */
final class NewPlace {

    private final Connection connection;
    private final SlotSite site;
    private final int slot;
    private final String schema;
    private final TransactionLock lock;

    NewPlace(Connection connection, SlotSite site, int slot) {
        this.connection = connection;
        this.site = site;
        this.slot = slot;
        this.schema = SlotSchemas.of(site.settings().schema(), slot);
        this.lock = TransactionLock.ofFilling(connection, site, slot);
    }

    TransactionLock lock() {
        return lock;
    }

    /**
     * Whether the slot is here, by this move.
     *
     * @throws RefusedSqlException if it has come otherwise
     */
    boolean isFilled(MoveNote note) throws SQLException {
        Here found =
                SlotSchemas.read(connection, site.settings().schema())
                        .getOrDefault(slot, Here.NOTHING);
        @Nullable MoveNote came = found.came();
        if (found.isHere() && (came == null || !came.token().equals(note.token()))) {
            throw new RefusedSqlException(
                    "there is a schema %s with tables, which this move has not made"
                            .formatted(schema));
        }
        return found.isHere();
    }

    /**
     * Makes the schema, and copies into it.
     *
     * @return how many rows each table has
     */
    Map<String, Long> fill(Connection from, String fromSchema, LongConsumer copied)
            throws SQLException {
        site.migrator(slot).make(connection);
        return new TableCopies(from, fromSchema, connection, schema).copy(copied);
    }

    /** From now on the slot is here. */
    void commit(MoveNote note) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "COMMENT ON SCHEMA %s IS %s"
                            .formatted(TableCopies.quoted(schema), note.quoted()));
        }
        connection.commit();
    }
}
