package dev.envelope.integration.demo.work;

import dev.envelope.integration.demo.show.DemoOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes letters to people at a steady rate, on a thread of its own. Those to one person are
 * numbered from 1.
 *
 * <p>Threads: guarded by this, one letter at a time; what is counted is concurrent, {@code resting}
 * and {@code stopped} are volatile.
 */
final class Letters implements AutoCloseable {

    private static final Duration CLOSED_WITHIN = Duration.ofSeconds(2);

    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final DemoOptions options;
    private final int[] written;
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::run, "demo-letters");
    private volatile boolean resting;
    private volatile boolean stopped;

    Letters(String bootstrapServers, String topic, DemoOptions options) {
        this.topic = topic;
        this.options = options;
        this.written = new int[options.keys()];
        this.producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 5),
                        new StringSerializer(),
                        new StringSerializer());
        thread.setDaemon(true);
        thread.start();
    }

    /** How many letters to each person the broker has acknowledged. */
    Map<String, Integer> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    /** How many letters that are. */
    long count() {
        return acknowledged.values().stream().mapToLong(Integer::intValue).sum();
    }

    /** Writes nothing more for a while, and returns when all that was written is acknowledged. */
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
        long each = Duration.ofSeconds(1).toNanos() / options.rate();
        long due = System.nanoTime();
        try {
            for (int person = 0; !stopped; person = (person + 1) % written.length) {
                if (resting) {
                    due = System.nanoTime();
                    LockSupport.parkNanos(each);
                    continue;
                }
                write(person);
                due += each;
                LockSupport.parkNanos(Math.max(0, due - System.nanoTime()));
            }
        } catch (InterruptException | IllegalStateException closed) {
            // The end.
        }
    }

    private synchronized void write(int person) {
        String key = "person-" + person;
        int number = ++written[person];
        Future<RecordMetadata> unused =
                producer.send(
                        new ProducerRecord<>(topic, key, Integer.toString(number)),
                        (place, failure) -> {
                            if (failure == null) {
                                acknowledged.put(key, number);
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
