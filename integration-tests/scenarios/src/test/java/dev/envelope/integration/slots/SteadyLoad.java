package dev.envelope.integration.slots;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Some hundred records a second, the keys in turns, until it is closed.
 *
 * <p>Threads: thread-safe (a thread of its own produces; what others see are atomics).
 */
final class SteadyLoad implements AutoCloseable {

    private static final int KEYS = 20;

    private final AtomicBoolean isEnough = new AtomicBoolean();
    private final AtomicInteger produced = new AtomicInteger();
    private final Thread thread;

    private SteadyLoad(String bootstrapServers, String topic) {
        this.thread = new Thread(() -> produce(bootstrapServers, topic), "load");
    }

    static SteadyLoad start(String bootstrapServers, String topic) {
        SteadyLoad load = new SteadyLoad(bootstrapServers, topic);
        load.thread.start();
        return load;
    }

    private void produce(String bootstrapServers, String topic) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrapServers),
                        new StringSerializer(),
                        new StringSerializer())) {
            while (!isEnough.get()) {
                int number = produced.getAndIncrement();
                producer.send(
                        new ProducerRecord<>(topic, "key-" + number % KEYS, "{\"amount\":1}"));
                Thread.sleep(4); // the rate
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How many there are of each key; all of them, once it is closed. */
    Map<String, Long> produced() {
        int all = produced.get();
        Map<String, Long> byKey = new TreeMap<>();
        for (int key = 0; key < KEYS; key++) {
            byKey.put("key-" + key, (long) all / KEYS + (key < all % KEYS ? 1 : 0));
        }
        return byKey;
    }

    /** Returns when the broker has all. */
    @Override
    public void close() {
        isEnough.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
