package dev.envelope.integration.bench.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A limit: Postgres alone, with the rows of the hand-written loop prepared beforehand and upserted
 * over two connections, without Kafka.
 *
 * <p>Threads: one at a time.
 */
final class BulkUpsert implements LoopThread.Loop {

    private static final int CONNECTIONS = 2;
    private static final int BATCH = 5_000;

    private record Batch(AccountRows rows, int records) {}

    private final Connection connection;
    private final PreparedStatement put;
    private final Observer observer;
    private final List<Batch> batches;
    private int next;

    private BulkUpsert(ClientSpec spec, Observer observer, int place) throws SQLException {
        this.observer = observer;
        connection = spec.database().connect();
        put = connection.prepareStatement(new LoopTables(spec.schema()).putMany());
        batches =
                batches(Workload.of(spec.source().workload(), (int) spec.stop().records()), place);
    }

    static Client started(ClientSpec spec, Observer observer) throws SQLException {
        List<BulkUpsert> loops = new ArrayList<>();
        for (int place = 0; place < CONNECTIONS; place++) {
            loops.add(new BulkUpsert(spec, observer, place));
        }
        observer.begun();
        return LoopThread.start(loops);
    }

    /** What a consumer with half of the keys would bring. */
    private static List<Batch> batches(Workload workload, int place) {
        Map<Integer, Account> accounts = new HashMap<>();
        List<Batch> batches = new ArrayList<>();
        List<Account> changed = new ArrayList<>();
        int records = 0;
        for (int record = 0; record < workload.records(); record++) {
            int key = workload.keyOf(record);
            if (key % CONNECTIONS == place) {
                Account account =
                        accounts.computeIfAbsent(key, k -> new Account(Workload.account(k)));
                account.apply(record, workload.amountOf(record));
                long batch = batches.size() + 1L;
                if (account.batch != batch) {
                    account.batch = batch;
                    changed.add(account);
                }
                records++;
            }
            if (records == BATCH || record == workload.records() - 1) {
                Collections.sort(changed);
                batches.add(new Batch(AccountRows.of(changed), records));
                changed.clear();
                records = 0;
            }
        }
        return batches;
    }

    @Override
    public void turn() throws SQLException {
        if (next < batches.size()) {
            Batch batch = batches.get(next++);
            batch.rows.execute(connection, put);
            observer.durable(batch.records);
        } else {
            LockSupport.parkNanos(1_000_000); // the other one is not done yet
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
