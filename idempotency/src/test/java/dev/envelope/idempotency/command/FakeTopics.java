package dev.envelope.idempotency.command;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.TopicAdmin;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Brokers that know topics, and nothing else. */
final class FakeTopics implements TopicAdmin {

    private final Map<String, Topic> topics = new HashMap<>();
    private boolean isAway;

    void set(String name, Topic topic) {
        topics.put(name, topic);
    }

    void remove(String name) {
        topics.remove(name);
    }

    void away(boolean now) {
        isAway = now;
    }

    @Override
    public Map<String, Topic> describe(Set<String> names) {
        if (isAway) {
            throw new UnavailableException("away");
        }
        Map<String, Topic> found = new HashMap<>(topics);
        found.keySet().retainAll(names);
        return found;
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
        throw new UnsupportedOperationException();
    }
}
