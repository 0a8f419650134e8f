package dev.envelope.integration.demo.payments;

import dev.envelope.integration.demo.show.DemoOptions;
import dev.envelope.integration.oracle.ZipfKeys;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Produces payments on a thread of its own: of skewed accounts at a steady rate, and of a few busy
 * ones in bursts.
 *
 * <p>Threads: guarded by this, a slice of payments at a time; the counts are atomic, {@code
 * resting} and {@code stopped} are volatile.
 */
final class Payments implements AutoCloseable {

    static final int BURST = 300_000;

    /** What no handler can read. */
    static final String POISON = "twelve euros";

    private static final int BUSY_ACCOUNTS = 20;
    private static final int POISONED_ACCOUNT = 100;
    private static final int SLICE = 2_000;
    private static final long SLICE_NANOS = Duration.ofMillis(5).toNanos();
    private static final Duration CLOSED_WITHIN = Duration.ofSeconds(2);

    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final int rate;
    private final int keys;
    private final ZipfKeys accounts;
    private final Sent sent = new Sent();
    private final Random random = new Random(1);
    private final AtomicInteger burst = new AtomicInteger();
    private final AtomicInteger poisoned = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "demo-producer");
    private volatile boolean resting;
    private volatile boolean stopped;

    private Payments(String bootstrapServers, String topic, DemoOptions options) {
        this.topic = topic;
        this.rate = options.rate();
        this.keys = options.keys();
        this.accounts = new ZipfKeys(keys, 1.0);
        this.producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrapServers,
                                "linger.ms",
                                5,
                                "compression.type",
                                "lz4"),
                        new StringSerializer(),
                        new StringSerializer());
    }

    static Payments start(String bootstrapServers, String topic, DemoOptions options) {
        Payments payments = new Payments(bootstrapServers, topic, options);
        payments.thread.setDaemon(true);
        payments.thread.start();
        return payments;
    }

    /** What the broker has acknowledged. */
    Sent sent() {
        return sent;
    }

    /** The account that poison messages are of. */
    String poisonedKey() {
        return "key-" + Math.min(POISONED_ACCOUNT, keys - 1);
    }

    /** How many poison messages were sent. */
    int poisoned() {
        return poisoned.get();
    }

    boolean isResting() {
        return resting;
    }

    /** As many more as the thread can send, for the busy accounts. */
    void burst() {
        burst.addAndGet(BURST);
    }

    /** One message that is no payment. */
    void poison() {
        Future<RecordMetadata> unused =
                producer.send(new ProducerRecord<>(topic, poisonedKey(), POISON));
        poisoned.incrementAndGet();
    }

    /** Sends nothing more for a while, and returns when all that was sent is acknowledged. */
    void rest() {
        resting = true;
        synchronized (this) {
            producer.flush();
        }
    }

    void goOn() {
        resting = false;
    }

    private void run() {
        long before = System.nanoTime();
        double due = 0;
        try {
            while (!stopped) {
                long now = System.nanoTime();
                due += (now - before) / 1e9 * rate;
                before = now;
                due -= slice((int) Math.min(due, rate));
                if (resting || burst.get() == 0) {
                    LockSupport.parkNanos(SLICE_NANOS);
                }
            }
        } catch (InterruptException | IllegalStateException closed) {
            // The end: close() interrupts a send that waits for room.
        }
    }

    /** How much less is due after it: at rest nothing is made up for. */
    private synchronized int slice(int steady) {
        if (resting) {
            return steady;
        }
        for (int i = 0; i < steady && !stopped; i++) {
            send(accounts.next(random));
        }
        int more = Math.min(SLICE, burst.get());
        for (int i = 0; i < more && !stopped; i++) {
            send("key-" + random.nextInt(Math.min(BUSY_ACCOUNTS, keys)));
        }
        burst.addAndGet(-more);
        return steady;
    }

    private void send(String key) {
        int cents = random.nextInt(50_000);
        String value =
                "{\"amount\":" + cents / 100 + (cents % 100 < 10 ? ".0" : ".") + cents % 100 + "}";
        Future<RecordMetadata> unused =
                producer.send(
                        new ProducerRecord<>(topic, key, value),
                        (place, failure) -> {
                            if (failure == null) {
                                sent.add(key, cents);
                            }
                        });
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        producer.close(CLOSED_WITHIN);
    }
}
