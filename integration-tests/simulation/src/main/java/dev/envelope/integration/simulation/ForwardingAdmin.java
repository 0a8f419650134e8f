package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.TopicAdmin;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Asks another one, but for what a subclass answers itself. */
abstract class ForwardingAdmin implements TopicAdmin {

    private final TopicAdmin admin;

    ForwardingAdmin(TopicAdmin admin) {
        this.admin = admin;
    }

    @Override
    public Map<String, Topic> describe(Set<String> topics) {
        return admin.describe(topics);
    }

    @Override
    public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
        return admin.committed(partitions);
    }

    @Override
    public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
        return admin.earliest(partitions);
    }

    @Override
    public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
        return admin.latest(partitions);
    }

    @Override
    public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
        return admin.bounds(partitions);
    }

    @Override
    public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
        return admin.at(instant, partitions);
    }
}
