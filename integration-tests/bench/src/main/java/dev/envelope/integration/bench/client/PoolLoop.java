package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * What is written by hand for a handler that blocks: threads, each with its share of the keys, all
 * accounts in memory; two batches under way so that no thread waits for the slowest one, and the
 * writes of the strongest loop.
 *
 * <p>Threads: one at a time; an account is its thread's alone.
 */
final class PoolLoop implements LoopThread.Loop {

    private static final int UNDER_WAY = 2;

    private record Batch(
            ConsumerRecords<byte[], byte[]> records, List<CompletableFuture<List<Account>>> parts) {

        List<Account> changed() {
            List<Account> changed = new ArrayList<>();
            parts.forEach(part -> changed.addAll(part.join()));
            Collections.sort(changed);
            return changed;
        }
    }

    private final LoopConsumer consumer;
    private final OverlappedWrite write;
    private final int blockMillis;
    private final List<Lane> lanes;
    private final Deque<Batch> underWay = new ArrayDeque<>();

    private PoolLoop(ClientSpec spec, Observer observer, int threads, ThreadFactory kind)
            throws SQLException {
        lanes = Stream.generate(() -> new Lane(kind)).limit(threads).toList();
        blockMillis = spec.blockMillis();
        write =
                new OverlappedWrite(
                        spec.database().connect(), new LoopTables(spec.schema()), false, observer);
        consumer = LoopConsumer.ofGroup(spec);
    }

    static Client of64Threads(ClientSpec spec, Observer observer) throws SQLException {
        return LoopThread.start(new PoolLoop(spec, observer, 64, Executors.defaultThreadFactory()));
    }

    static Client of256VirtualThreads(ClientSpec spec, Observer observer) throws SQLException {
        return LoopThread.start(new PoolLoop(spec, observer, 256, virtual()));
    }

    /** By reflection: this is compiled for a Java that does not have them. */
    private static ThreadFactory virtual() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory)
                    Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads want Java 21 or later", e);
        }
    }

    @Override
    public void turn() {
        ConsumerRecords<byte[], byte[]> records = consumer.poll();
        if (!records.isEmpty()) {
            underWay.add(new Batch(records, spread(records)));
        }
        if (underWay.size() >= UNDER_WAY || records.isEmpty()) {
            finishFirst();
        }
    }

    private List<CompletableFuture<List<Account>>> spread(ConsumerRecords<byte[], byte[]> records) {
        List<List<ConsumerRecord<byte[], byte[]>>> shares = new ArrayList<>();
        lanes.forEach(lane -> shares.add(new ArrayList<>()));
        for (ConsumerRecord<byte[], byte[]> record : records) {
            int hash = Arrays.hashCode(record.key()) * 0x9E3779B1;
            shares.get((hash >>> 16) % lanes.size()).add(record);
        }
        List<CompletableFuture<List<Account>>> parts = new ArrayList<>();
        for (int i = 0; i < lanes.size(); i++) {
            parts.add(lanes.get(i).begin(shares.get(i), blockMillis));
        }
        return parts;
    }

    private void finishFirst() {
        Batch first = underWay.poll();
        if (first != null) {
            write.begin(first.changed(), first.records);
        }
    }

    @Override
    public void close() throws SQLException {
        while (!underWay.isEmpty()) {
            finishFirst();
        }
        write.close();
        lanes.forEach(lane -> lane.thread.shutdown());
        consumer.close();
    }

    /**
     * A thread with its accounts.
     *
     * <p>Threads: one at a time (its own).
     */
    private static final class Lane {
        private final ExecutorService thread;
        private final Map<String, Account> accounts = new HashMap<>();
        private final BookingReader reader = new BookingReader();

        Lane(ThreadFactory kind) {
            thread = Executors.newSingleThreadExecutor(kind);
        }

        CompletableFuture<List<Account>> begin(
                List<ConsumerRecord<byte[], byte[]>> share, int blockMillis) {
            return CompletableFuture.supplyAsync(() -> fold(share, blockMillis), thread);
        }

        private List<Account> fold(List<ConsumerRecord<byte[], byte[]>> share, int blockMillis) {
            Set<Account> changed = new LinkedHashSet<>();
            for (ConsumerRecord<byte[], byte[]> record : share) {
                String key = new String(record.key(), StandardCharsets.UTF_8);
                Account account = accounts.computeIfAbsent(key, Account::new);
                reader.read(record.value());
                Blocking.forMillis(blockMillis);
                account.apply(reader.sequence(), reader.amount());
                changed.add(account);
            }
            return changed.stream().map(Account::copy).toList();
        }
    }
}
