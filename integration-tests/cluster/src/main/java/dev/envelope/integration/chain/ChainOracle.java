package dev.envelope.integration.chain;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * What has to be in a topic, by key and in order, computed from what was sent; and what is there.
 *
 * <p>Threads: one thread.
 */
final class ChainOracle {

    private static final int KEPT = 10;

    private final String bootstrapServers;
    private final List<String> findings = new ArrayList<>();
    private int found;

    ChainOracle(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /** What an application makes of these messages, by key. */
    static Map<String, List<String>> outputs(Map<String, List<String>> messages) {
        Map<String, List<String>> outputs = new HashMap<>();
        messages.forEach(
                (key, values) -> {
                    List<String> mine = new ArrayList<>();
                    for (int count = 1; count <= values.size(); count++) {
                        String output = values.get(count - 1) + "-" + count;
                        if (count % 7 != 0) {
                            mine.add(output);
                        }
                        if (count % 7 != 0 && count % 5 == 0) {
                            mine.add(output + "again");
                        }
                    }
                    outputs.put(key, mine);
                });
        return outputs;
    }

    static long size(Map<String, List<String>> messages) {
        return messages.values().stream().mapToLong(List::size).sum();
    }

    /** Compares a topic with what has to be there; returns how many outputs are. */
    int judge(String topic, Map<String, List<String>> expected) {
        Map<String, List<String>> actual = new HashMap<>();
        Set<String> ids = new HashSet<>();
        List<ConsumerRecord<String, String>> records = read(topic, "read_committed");
        for (ConsumerRecord<String, String> record : records) {
            actual.computeIfAbsent(record.key(), key -> new ArrayList<>()).add(record.value());
            Header id = record.headers().lastHeader("envelope.id");
            if (id == null) {
                finding(record.value() + " of " + topic + " has no id");
            } else if (!ids.add(new String(id.value(), StandardCharsets.UTF_8))) {
                finding(record.value() + " of " + topic + " has an id that was seen before");
            }
        }
        Set<String> keys = new HashSet<>(expected.keySet());
        keys.addAll(actual.keySet());
        for (String key : keys) {
            compare(
                    topic + " " + key,
                    expected.getOrDefault(key, List.of()),
                    actual.getOrDefault(key, List.of()));
        }
        return records.size();
    }

    private void compare(String where, List<String> expected, List<String> actual) {
        if (expected.equals(actual)) {
            return;
        }
        Set<String> seen = new HashSet<>();
        for (String each : actual) {
            if (!seen.add(each)) {
                finding("repeated: " + each + " of " + where);
            }
        }
        Set<String> wanted = new HashSet<>(expected);
        expected.stream()
                .filter(it -> !seen.contains(it))
                .forEach(it -> finding("missing: " + it + " of " + where));
        seen.stream()
                .filter(it -> !wanted.contains(it))
                .forEach(it -> finding("invented: " + it + " of " + where));
        List<String> once = actual.stream().distinct().filter(wanted::contains).toList();
        if (!once.equals(expected.stream().filter(seen::contains).toList())) {
            finding("out of order: " + where);
        }
    }

    private void finding(String what) {
        found++;
        if (findings.size() < KEPT) {
            findings.add(what);
        }
    }

    /** How many anomalies were found. */
    int found() {
        return found;
    }

    /** The first of them. */
    List<String> findings() {
        return List.copyOf(findings);
    }

    /** Records of a topic that were taken back. */
    int aborted(String topic) {
        return read(topic, "read_uncommitted").size() - read(topic, "read_committed").size();
    }

    private List<ConsumerRecord<String, String>> read(String topic, String isolation) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers, "isolation.level", isolation),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            List<TopicPartition> all =
                    consumer.partitionsFor(topic).stream()
                            .map(it -> new TopicPartition(topic, it.partition()))
                            .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(it -> consumer.position(it) < ends.getOrDefault(it, 0L))) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }
}
