package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.work.DoneBefore;
import dev.envelope.idempotency.work.Transactions;
import dev.envelope.idempotency.work.WorkStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The database in memory of handlers that write what they like, which are rows of text.
 *
 * <p>Threads: thread-safe (the database is).
 */
public final class InMemoryWorkStore implements WorkStore {

    private final InMemoryDatabase database;
    private final Way way;

    public InMemoryWorkStore(InMemoryDatabase database, Way way) {
        this.database = database;
        this.way = way;
    }

    /** The way from a process to its database. */
    public interface Way {

        /** No way at all. */
        Way AT_HAND = Supplier::get;

        /** One round trip. */
        <T> T ask(Supplier<T> request);

        /** The trip that marks messages. */
        default DoneBefore mark(InMemoryTransaction transaction, List<Message> messages) {
            return ask(() -> transaction.mark(messages));
        }

        /** The trip that commits. */
        default void commit(InMemoryTransaction transaction) {
            ask(
                    () -> {
                        transaction.commit();
                        return true;
                    });
        }

        /** Whether the process is there. */
        default boolean isAlive() {
            return true;
        }
    }

    /** A connection of the database in memory. */
    public interface RowConnection extends Connection {

        /** Writes a row. */
        void write(String row) throws SQLException;
    }

    @Override
    public Checkpoints checkpoints() {
        return new InMemoryCheckpoints(database);
    }

    @Override
    public Transactions transactions() {
        return this::once;
    }

    private BitSet once(List<Message> messages, Transactions.Action action) throws Exception {
        if (DoneBefore.isKnownOfAll(messages)) {
            BitSet all = new BitSet();
            all.set(0, messages.size());
            return all;
        }
        InMemoryTransaction transaction = new InMemoryTransaction(database, way::isAlive);
        try {
            BitSet before = way.mark(transaction, messages).of(messages);
            if (before.cardinality() < messages.size()) {
                action.run(before, connection(transaction));
                way.commit(transaction);
            }
            return before;
        } catch (SQLException e) {
            throw new UnavailableException("the connection is lost", e);
        } finally {
            transaction.rollback();
        }
    }

    /** Does something in a transaction that marks nothing, as a connection of one's own would. */
    public void withoutMarks(Transactions.Action action) throws Exception {
        InMemoryTransaction transaction = new InMemoryTransaction(database, way::isAlive);
        try {
            action.run(new BitSet(), connection(transaction));
            way.commit(transaction);
        } catch (SQLException e) {
            throw new UnavailableException("the connection is lost", e);
        } finally {
            transaction.rollback();
        }
    }

    private Connection connection(InMemoryTransaction transaction) {
        return (Connection)
                Proxy.newProxyInstance(
                        InMemoryWorkStore.class.getClassLoader(),
                        new Class<?>[] {RowConnection.class},
                        (proxy, method, arguments) -> {
                            if (!method.getName().equals("write")) {
                                throw new SQLException(method.getName(), "0A000");
                            }
                            write(transaction, (String) Objects.requireNonNull(arguments)[0]);
                            return null;
                        });
    }

    /** A connection that was broken once is of no use any more. */
    private void write(InMemoryTransaction transaction, String row) throws SQLException {
        try {
            way.ask(
                    () -> {
                        transaction.write(row);
                        return true;
                    });
        } catch (UnavailableException e) {
            transaction.rollback();
            throw new SQLException("connection reset", "08006", e);
        }
    }

    @Override
    public boolean forgetSome() {
        return way.ask(database::forgetMarks);
    }

    @Override
    public List<PoolUse> pools() {
        return List.of();
    }

    @Override
    public void close() {
        // There are no connections that would stay open.
    }
}
