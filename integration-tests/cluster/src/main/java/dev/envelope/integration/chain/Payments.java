package dev.envelope.integration.chain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends what the first application reads, at a rate, until it is closed.
 *
 * <p>Threads: one of its own sends; what it has sent may be asked for after {@link #close}.
 */
final class Payments implements AutoCloseable {

    private static final int KEYS = 101;

    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final int rate;
    private final Random random;
    private final Map<String, List<String>> sent = new HashMap<>();
    private final Thread thread = new Thread(this::run, "payments");
    private volatile boolean stopped;
    private volatile @Nullable Exception failure;

    private Payments(String bootstrapServers, String topic, int rate, long seed) {
        this.producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrapServers),
                        new StringSerializer(),
                        new StringSerializer());
        this.topic = topic;
        this.rate = rate;
        this.random = new Random(seed);
    }

    static Payments start(String bootstrapServers, String topic, int rate, long seed) {
        Payments started = new Payments(bootstrapServers, topic, rate, seed);
        started.thread.start();
        return started;
    }

    private void run() {
        long begun = System.nanoTime();
        Future<RecordMetadata> last = null;
        try {
            for (long i = 0; !stopped; i++) {
                long wait = begun + i * 1_000_000_000L / rate - System.nanoTime();
                if (wait > 1_000_000) {
                    LockSupport.parkNanos(wait);
                }
                String key = "account-" + random.nextInt(KEYS);
                String value = "payment " + i;
                last = producer.send(new ProducerRecord<>(topic, key, value));
                sent.computeIfAbsent(key, it -> new ArrayList<>()).add(value);
            }
            producer.flush();
            if (last != null) {
                last.get();
            }
        } catch (RuntimeException | InterruptedException | ExecutionException e) {
            failure = e;
        }
    }

    /** All that was sent, by key. */
    Map<String, List<String>> sent() {
        return Map.copyOf(sent);
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close();
        Exception thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("the payments could not be sent", thrown);
        }
    }
}
