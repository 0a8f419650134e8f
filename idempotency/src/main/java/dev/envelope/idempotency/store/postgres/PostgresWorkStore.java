package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.postgres.work.MarkedTransactions;
import dev.envelope.idempotency.work.Transactions;
import dev.envelope.idempotency.work.WorkStore;
import java.time.Duration;
import java.util.List;

/**
 * The database of handlers that write what they like. It can be opened before the database can be
 * reached.
 *
 * <p>Threads: thread-safe (the pools are).
 */
public final class PostgresWorkStore implements WorkStore {

    private static final int AT_A_TIME = 10_000;
    private static final Duration SLACK = Duration.ofSeconds(2);

    /** Rows that somebody else deletes right now are left to him. */
    private static final String FORGET =
            "DELETE FROM %1$s.done AS d USING (SELECT o.source, o.record_offset"
                    + " FROM %1$s.checkpoint AS c CROSS JOIN LATERAL (SELECT b.source,"
                    + " b.record_offset FROM %1$s.done AS b WHERE b.source = c.source"
                    + " AND b.record_offset < c.next_offset ORDER BY b.record_offset LIMIT ?"
                    + " FOR UPDATE OF b SKIP LOCKED) AS o WHERE c.slot = 0 LIMIT ?) AS old"
                    + " WHERE d.source = old.source AND d.record_offset = old.record_offset";

    private final Database database;
    private final Tables tables;
    private final Checkpoints checkpoints;
    private final Transactions transactions;

    private PostgresWorkStore(PostgresSettings settings, Duration longestCall) {
        database = Database.forHandlers(settings, longestCall.plus(SLACK));
        tables = new Tables(database, database.background(), settings);
        checkpoints = new PostgresCheckpoints(tables, settings);
        transactions = new MarkedTransactions(database, settings);
    }

    /**
     * Opens the pools, which connect in the background.
     *
     * @param longestCall how long a call of a handler may take; a transaction that is silent for
     *     longer is ended by the server
     */
    public static PostgresWorkStore open(PostgresSettings settings, Duration longestCall) {
        return new PostgresWorkStore(settings, longestCall);
    }

    @Override
    public Checkpoints checkpoints() {
        return checkpoints;
    }

    @Override
    public Transactions transactions() {
        return transactions;
    }

    @Override
    public boolean forgetSome() {
        return tables.update(FORGET, AT_A_TIME, AT_A_TIME) == AT_A_TIME;
    }

    @Override
    public List<PoolUse> pools() {
        return database.pools().stream()
                .filter(it -> it.name().equals("lanes") || it.name().equals("background"))
                .toList();
    }

    @Override
    public void close() {
        database.close();
    }
}
