package dev.envelope.integration.demo;

import dev.envelope.integration.oracle.ZipfKeys;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Produces payments of skewed accounts at a steady rate, on a thread of its own.
 *
 * <p>Threads: its own; {@code stopped} is volatile.
 */
final class Payments implements AutoCloseable {

    private static final long SLICE_NANOS = Duration.ofMillis(5).toNanos();

    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final int rate;
    private final ZipfKeys accounts;
    private final Random random = new Random(1);
    private final Thread thread = new Thread(this::run, "demo-producer");
    private volatile boolean stopped;

    private Payments(String bootstrapServers, String topic, DemoOptions options) {
        this.topic = topic;
        this.rate = options.rate();
        this.accounts = new ZipfKeys(options.keys(), 1.0);
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

    private void run() {
        long begun = System.nanoTime();
        long sent = 0;
        while (!stopped) {
            long due = (long) ((System.nanoTime() - begun) / 1e9 * rate);
            while (sent < due && !stopped) {
                String value =
                        "{\"payment\":%d,\"amount\":%d.%02d,\"currency\":\"EUR\"}"
                                .formatted(sent, random.nextInt(500), random.nextInt(100));
                var unused =
                        producer.send(new ProducerRecord<>(topic, accounts.next(random), value));
                sent++;
            }
            LockSupport.parkNanos(SLICE_NANOS);
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        producer.close(Duration.ofSeconds(2));
    }
}
