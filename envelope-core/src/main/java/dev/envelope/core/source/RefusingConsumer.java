package dev.envelope.core.source;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;

/**
 * A consumer that can do nothing. What is no Kafka client overrides what the engine calls; a call
 * of anything else is a fault of the program.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@SuppressWarnings("deprecation") // the interface has methods that are
public class RefusingConsumer<K, V> implements Consumer<K, V> {

    private static UnsupportedOperationException refused(String method) {
        return new UnsupportedOperationException("the engine is not expected to call " + method);
    }

    @Override
    public Set<TopicPartition> assignment() {
        throw refused("assignment");
    }

    @Override
    public Set<String> subscription() {
        throw refused("subscription");
    }

    @Override
    public void subscribe(Collection<String> topics) {
        throw refused("subscribe");
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        throw refused("subscribe");
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        throw refused("assign");
    }

    @Override
    public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
        throw refused("subscribe");
    }

    @Override
    public void subscribe(Pattern pattern) {
        throw refused("subscribe");
    }

    @Override
    public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener listener) {
        throw refused("subscribe");
    }

    @Override
    public void subscribe(SubscriptionPattern pattern) {
        throw refused("subscribe");
    }

    @Override
    public void unsubscribe() {
        throw refused("unsubscribe");
    }

    @Override
    public ConsumerRecords<K, V> poll(Duration timeout) {
        throw refused("poll");
    }

    @Override
    public void commitSync() {
        throw refused("commitSync");
    }

    @Override
    public void commitSync(Duration timeout) {
        throw refused("commitSync");
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        throw refused("commitSync");
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        throw refused("commitSync");
    }

    @Override
    public void commitAsync() {
        throw refused("commitAsync");
    }

    @Override
    public void commitAsync(OffsetCommitCallback callback) {
        throw refused("commitAsync");
    }

    @Override
    public void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        throw refused("commitAsync");
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {
        throw refused("registerMetricForSubscription");
    }

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {
        throw refused("unregisterMetricFromSubscription");
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        throw refused("seek");
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        throw refused("seek");
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        throw refused("seekToBeginning");
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        throw refused("seekToEnd");
    }

    @Override
    public long position(TopicPartition partition) {
        throw refused("position");
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        throw refused("position");
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        throw refused("committed");
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(
            Set<TopicPartition> partitions, Duration timeout) {
        throw refused("committed");
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        throw refused("clientInstanceId");
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        throw refused("metrics");
    }

    @Override
    public List<PartitionInfo> partitionsFor(String text) {
        throw refused("partitionsFor");
    }

    @Override
    public List<PartitionInfo> partitionsFor(String text, Duration timeout) {
        throw refused("partitionsFor");
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics() {
        throw refused("listTopics");
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
        throw refused("listTopics");
    }

    @Override
    public Set<TopicPartition> paused() {
        throw refused("paused");
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        throw refused("pause");
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        throw refused("resume");
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
            Map<TopicPartition, Long> offsets) {
        throw refused("offsetsForTimes");
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
            Map<TopicPartition, Long> offsets, Duration timeout) {
        throw refused("offsetsForTimes");
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        throw refused("beginningOffsets");
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(
            Collection<TopicPartition> partitions, Duration timeout) {
        throw refused("beginningOffsets");
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        throw refused("endOffsets");
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(
            Collection<TopicPartition> partitions, Duration timeout) {
        throw refused("endOffsets");
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        throw refused("currentLag");
    }

    @Override
    public ConsumerGroupMetadata groupMetadata() {
        throw refused("groupMetadata");
    }

    @Override
    public void enforceRebalance() {
        throw refused("enforceRebalance");
    }

    @Override
    public void enforceRebalance(String text) {
        throw refused("enforceRebalance");
    }

    @Override
    public void close() {
        throw refused("close");
    }

    @Override
    public void close(Duration timeout) {
        throw refused("close");
    }

    @Override
    public void close(CloseOptions options) {
        throw refused("close");
    }

    @Override
    public void wakeup() {
        throw refused("wakeup");
    }
}
