package dev.envelope.integration.simulation;

import dev.envelope.core.offset.TopicAdmin.Commit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The broker: topics with their partitions' logs, and the group's commits.
 *
 * <p>Threads: one thread.
 */
final class SimLog {

    private final Map<String, List<SimPartition>> topics = new LinkedHashMap<>();
    private final List<SimPartition> everything = new ArrayList<>(); // deleted ones, too
    private final Map<TopicPartition, Commit> commits = new HashMap<>();
    private final Map<String, Integer> lives = new HashMap<>();
    private int created;

    void create(String topic, int partitions) {
        created++;
        int life = lives.merge(topic, 1, Integer::sum) - 1;
        topics.put(topic, new ArrayList<>());
        add(topic, new Uuid(1, created), life, partitions);
    }

    /** Adds partitions to a topic. */
    void grow(String topic, int by) {
        add(topic, of(topic).get(0).topicId(), lives.getOrDefault(topic, 1) - 1, by);
    }

    private void add(String topic, Uuid id, int life, int count) {
        List<SimPartition> all = of(topic);
        for (int i = 0; i < count; i++) {
            SimPartition partition =
                    new SimPartition(new TopicPartition(topic, all.size()), id, life);
            all.add(partition);
            everything.add(partition);
        }
    }

    /** With its topic the broker forgets the group's commits of it. */
    void delete(String topic) {
        topics.remove(topic);
        commits.keySet().removeIf(partition -> partition.topic().equals(topic));
    }

    boolean has(String topic) {
        return topics.containsKey(topic);
    }

    Set<String> topics() {
        return topics.keySet();
    }

    /** The partitions that a topic has now. */
    List<SimPartition> of(String topic) {
        return topics.getOrDefault(topic, List.of());
    }

    /** All partitions that there are now. */
    List<SimPartition> all() {
        return topics.values().stream().flatMap(List::stream).toList();
    }

    @Nullable SimPartition find(TopicPartition name) {
        List<SimPartition> all = of(name.topic());
        return name.partition() < all.size() ? all.get(name.partition()) : null;
    }

    /** The log that a source of the database stands for, in whatever life of its topic. */
    SimPartition of(TopicPartition name, Uuid topicId) {
        return everything.stream()
                .filter(it -> it.name().equals(name) && it.topicId().equals(topicId))
                .findFirst()
                .orElseThrow(() -> new Violation("unseen", "a source of no log: " + name));
    }

    /** All partitions that there ever were. */
    List<SimPartition> everything() {
        return everything;
    }

    /** The record of this place, of whatever life of its topic; null without one. */
    @Nullable SimRecord find(String place) {
        return everything.stream()
                .filter(it -> it.has(place))
                .map(it -> it.at(place))
                .findFirst()
                .orElse(null);
    }

    void commit(TopicPartition partition, Commit commit) {
        if (find(partition) != null) {
            commits.put(partition, commit);
        }
    }

    void forgetCommit(TopicPartition partition) {
        commits.remove(partition);
    }

    Optional<Commit> commit(TopicPartition partition) {
        return Optional.ofNullable(commits.get(partition));
    }
}
