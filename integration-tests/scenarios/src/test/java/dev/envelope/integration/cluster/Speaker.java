package dev.envelope.integration.cluster;

import dev.envelope.integration.stack.LocalStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Says words to keys, and remembers them. It can go on talking by itself.
 *
 * <p>Threads: guarded by this; it has one of its own while it talks.
 */
final class Speaker implements AutoCloseable {

    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final Map<String, List<String>> said = new TreeMap<>();
    private @Nullable Thread talking;
    private volatile boolean silent;

    Speaker(LocalStack stack, String topic, Map<String, Object> client) {
        Map<String, Object> properties = new HashMap<>(client);
        properties.put("bootstrap.servers", stack.broker().bootstrapServers());
        this.topic = topic;
        this.producer =
                new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
    }

    /** Says so many words to each of so many keys, in turn, and waits until the broker has them. */
    void say(String prefix, int keys, int words) {
        for (int word = 0; word < words; word++) {
            for (int key = 0; key < keys; key++) {
                sayNext(prefix + key);
            }
        }
        producer.flush();
    }

    private synchronized void sayNext(String key) {
        List<String> words = said.computeIfAbsent(key, it -> new ArrayList<>());
        String word = key + ":" + words.size();
        words.add(word);
        Future<RecordMetadata> unused = // who listens will tell
                producer.send(new ProducerRecord<>(topic, key, "{\"word\":\"" + word + "\"}"));
    }

    /** Goes on saying a word to each of so many keys, with a pause after that. */
    void talk(String prefix, int keys, Duration pause) {
        silent = false;
        talking =
                new Thread(
                        () -> {
                            while (!silent) {
                                say(prefix, keys, 1);
                                LockSupport.parkNanos(pause.toNanos());
                            }
                        },
                        "speaker");
        talking.start();
    }

    /** Talks no more, and returns when the broker has all that was said. */
    void beSilent() {
        silent = true;
        @Nullable Thread waitedFor = talking;
        if (waitedFor != null) {
            try {
                waitedFor.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    synchronized Map<String, List<String>> said() {
        Map<String, List<String>> copy = new TreeMap<>();
        said.forEach((key, words) -> copy.put(key, List.copyOf(words)));
        return copy;
    }

    synchronized void forget() {
        said.clear();
    }

    @Override
    public void close() {
        beSilent();
        producer.close(Duration.ofSeconds(5));
    }
}
