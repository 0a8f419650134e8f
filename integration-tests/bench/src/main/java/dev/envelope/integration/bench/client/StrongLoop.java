package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * The strongest loop that we could write by hand: two consumers, 5,000 records a poll, folded in
 * memory over cached states, one statement of many rows sorted by key, the partitions' offsets in
 * the same transaction, and the next poll and fold while that is written.
 *
 * <p>What it does not have: rows checked by version, retries, anything for a message at fault, a
 * rebalance.
 *
 * <p>Threads: one at a time; what {@link OverlappedWrite} gets is a picture of its own.
 */
final class StrongLoop implements LoopThread.Loop {

    private static final int CONSUMERS = 2;

    private final LoopConsumer consumer;
    private final Connection connection;
    private final PreparedStatement find;
    private final OverlappedWrite write;
    private final AccountCache cache = new AccountCache();
    private final BookingReader reader = new BookingReader();
    private final Map<String, Account> missing = new HashMap<>();
    private long batch;

    private StrongLoop(ClientSpec spec, Observer observer, boolean copies, int place)
            throws SQLException {
        connection = spec.database().connect();
        LoopTables tables = new LoopTables(spec.schema());
        find = connection.prepareStatement(tables.find());
        write = new OverlappedWrite(spec.database().connect(), tables, copies, observer);
        consumer = LoopConsumer.ofPart(spec, place, CONSUMERS);
    }

    static Client withUpsert(ClientSpec spec, Observer observer) throws SQLException {
        return started(spec, observer, false);
    }

    /** The variant that brings in new keys by COPY, and updates the others. */
    static Client withCopy(ClientSpec spec, Observer observer) throws SQLException {
        return started(spec, observer, true);
    }

    private static Client started(ClientSpec spec, Observer observer, boolean copies)
            throws SQLException {
        List<StrongLoop> loops = new ArrayList<>();
        for (int place = 0; place < CONSUMERS; place++) {
            loops.add(new StrongLoop(spec, observer, copies, place));
        }
        return LoopThread.start(loops);
    }

    @Override
    public void turn() throws SQLException {
        ConsumerRecords<byte[], byte[]> records = consumer.poll();
        if (records.isEmpty()) {
            return;
        }
        batch++;
        Account[] accounts = accounts(records);
        List<Account> changed = fold(records, accounts);
        Collections.sort(changed);
        write.begin(changed, records);
    }

    /** The account of each record, its state loaded if it was not known. */
    private Account[] accounts(ConsumerRecords<byte[], byte[]> records) throws SQLException {
        Account[] accounts = new Account[records.count()];
        int i = 0;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            Account account = cache.get(key);
            if (account == null) {
                account = new Account(key);
                cache.put(account);
                missing.put(key, account);
            }
            accounts[i++] = account;
        }
        if (!missing.isEmpty()) {
            load();
            missing.clear();
        }
        return accounts;
    }

    private void load() throws SQLException {
        find.setArray(1, connection.createArrayOf("text", missing.keySet().toArray()));
        try (ResultSet row = find.executeQuery()) {
            while (row.next()) {
                Account account = missing.get(row.getString(1));
                if (account != null) {
                    account.balance = row.getLong(2);
                    account.count = row.getLong(3);
                    account.last = row.getLong(4);
                    account.hash = row.getLong(5);
                    account.stored = true;
                }
            }
        }
    }

    private List<Account> fold(ConsumerRecords<byte[], byte[]> records, Account[] accounts) {
        List<Account> changed = new ArrayList<>();
        int i = 0;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            Account account = accounts[i++];
            reader.read(record.value());
            account.apply(reader.sequence(), reader.amount());
            if (account.batch != batch) {
                account.batch = batch;
                changed.add(account);
            }
        }
        return changed;
    }

    @Override
    public void close() throws SQLException {
        write.close();
        consumer.close();
        connection.close();
    }
}
