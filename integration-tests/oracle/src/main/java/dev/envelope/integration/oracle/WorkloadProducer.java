package dev.envelope.integration.oracle;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the transactions of a workload, some taken back, at a rate, until it is closed.
 *
 * <p>Threads: one of its own sends; the counter is atomic.
 */
public final class WorkloadProducer implements AutoCloseable {

    private static final int TRANSACTION = 300;

    /** For one transaction: longer than any test leaves the broker away. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final String bootstrapServers;
    private final String id = "workload-" + System.nanoTime();
    private final LedgerWorkload workload;
    private final int rate;
    private final AtomicLong sent = new AtomicLong();
    private final Thread thread;
    private KafkaProducer<byte @Nullable [], byte @Nullable []> producer;
    private volatile boolean stopped;
    private volatile @Nullable RuntimeException failure;

    private WorkloadProducer(String bootstrapServers, LedgerWorkload workload, int rate) {
        this.workload = workload;
        this.rate = rate;
        this.bootstrapServers = bootstrapServers;
        this.producer = open(bootstrapServers, id);
        this.thread = new Thread(this::run, "workload-producer");
    }

    private static KafkaProducer<byte @Nullable [], byte @Nullable []> open(
            String bootstrapServers, String id) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "transactional.id",
                        id,
                        "max.request.size",
                        16 << 20,
                        "linger.ms",
                        1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Begins to send about {@code rate} records a second. */
    public static WorkloadProducer start(
            String bootstrapServers, LedgerWorkload workload, int rate) {
        WorkloadProducer started = new WorkloadProducer(bootstrapServers, workload, rate);
        started.producer.initTransactions();
        started.thread.start();
        return started;
    }

    /** Sends about so many records as fast as it goes. */
    public static void send(String bootstrapServers, LedgerWorkload workload, int records) {
        try (WorkloadProducer sending = new WorkloadProducer(bootstrapServers, workload, 0)) {
            sending.producer.initTransactions();
            while (sending.sent.get() < records) {
                sending.transaction(TRANSACTION);
            }
        }
    }

    /** Records sent so far, aborted ones as well. */
    public long sent() {
        return sent.get();
    }

    private void run() {
        long begun = System.nanoTime();
        try {
            while (!stopped) {
                long due = begun + sent.get() * 1_000_000_000L / Math.max(1, rate);
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    LockSupport.parkNanos(wait);
                } else {
                    transaction(TRANSACTION);
                }
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /**
     * A broker that was killed fails transactions in many ways: after each the same is sent with a
     * producer of its own. One that was committed without a reply is then in the log twice.
     */
    private void transaction(int size) {
        LedgerWorkload.Transaction transaction = workload.next(size);
        long begun = System.nanoTime();
        boolean again = false;
        while (true) {
            try {
                if (again) {
                    producer.close(Duration.ZERO);
                    producer = open(bootstrapServers, id);
                    producer.initTransactions(); // aborts it
                }
                send(transaction);
                sent.addAndGet(size);
                return;
            } catch (InterruptException e) {
                throw e;
            } catch (KafkaException e) {
                if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                    throw e;
                }
                again = true;
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private void send(LedgerWorkload.Transaction transaction) {
        producer.beginTransaction();
        for (ProducerRecord<byte @Nullable [], byte @Nullable []> record : transaction.records()) {
            Future<RecordMetadata> unused = producer.send(record); // the commit tells
        }
        if (transaction.aborted()) {
            producer.flush(); // so that what is taken back has been in the log
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }

    /** Ends after the transaction under way. */
    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
        try {
            thread.join(); // at once, if it was never started
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ofSeconds(5));
        failIfItHasFailed();
    }

    /** A run without records would prove nothing. */
    public void failIfItHasFailed() {
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("the workload could not be sent: " + thrown, thrown);
        }
    }
}
