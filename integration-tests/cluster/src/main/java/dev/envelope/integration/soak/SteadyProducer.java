package dev.envelope.integration.soak;

import dev.envelope.integration.oracle.LedgerWorkload;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the workload at a rate, whatever becomes of the broker. A transaction whose end is not
 * known is given up: the log tells whether it is there.
 *
 * <p>Threads: one of its own sends; the counters are atomic.
 */
final class SteadyProducer implements AutoCloseable {

    private static final int TRANSACTION = 200;
    private static final Duration MOST_BEHIND = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Map<String, Object> properties;
    private final LedgerWorkload workload;
    private final long intervalNanos;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final Thread thread = new Thread(this::run, "steady-producer");
    private @Nullable KafkaProducer<byte @Nullable [], byte @Nullable []> producer;
    private volatile boolean stopped;

    private SteadyProducer(String bootstrapServers, LedgerWorkload workload, int rate) {
        this.workload = workload;
        this.intervalNanos = 1_000_000_000L * TRANSACTION / rate;
        this.properties =
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "transactional.id", "soak",
                        "transaction.timeout.ms", 5_000,
                        "max.block.ms", 6_000,
                        "request.timeout.ms", 3_000,
                        "delivery.timeout.ms", 5_000,
                        "linger.ms", 5);
    }

    static SteadyProducer start(String bootstrapServers, LedgerWorkload workload, int rate) {
        SteadyProducer producer = new SteadyProducer(bootstrapServers, workload, rate);
        producer.thread.start();
        return producer;
    }

    /** Records handed to the client, those of aborted transactions as well. */
    long sent() {
        return sent.get();
    }

    /** Records of transactions that the broker has said to be committed. */
    long acknowledged() {
        return acknowledged.get();
    }

    private void run() {
        long due = System.nanoTime();
        while (!stopped) {
            long wait = due - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
                continue;
            }
            // What could not be sent in an outage is not all made up for.
            due = Math.max(due, System.nanoTime() - MOST_BEHIND.toNanos()) + intervalNanos;
            try {
                transaction(client());
            } catch (KafkaException | IllegalStateException e) {
                giveUp();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
        giveUp();
    }

    /** A new one ends what its predecessor has left open. */
    private KafkaProducer<byte @Nullable [], byte @Nullable []> client() {
        KafkaProducer<byte @Nullable [], byte @Nullable []> current = producer;
        if (current == null) {
            current =
                    new KafkaProducer<>(
                            properties, new ByteArraySerializer(), new ByteArraySerializer());
            producer = current;
            current.initTransactions();
        }
        return current;
    }

    private void transaction(KafkaProducer<byte @Nullable [], byte @Nullable []> client) {
        LedgerWorkload.Transaction transaction = workload.next(TRANSACTION);
        client.beginTransaction();
        for (ProducerRecord<byte @Nullable [], byte @Nullable []> record : transaction.records()) {
            Future<RecordMetadata> unused = client.send(record); // the commit tells
        }
        sent.addAndGet(transaction.records().size());
        if (transaction.aborted()) {
            client.flush(); // so that what is taken back has been in the log
            client.abortTransaction();
        } else {
            client.commitTransaction();
            acknowledged.addAndGet(transaction.records().size());
        }
    }

    private void giveUp() {
        KafkaProducer<byte @Nullable [], byte @Nullable []> current = producer;
        producer = null;
        if (current != null) {
            current.close(Duration.ZERO);
        }
    }

    /** Ends after the transaction under way, and leaves none open. */
    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
