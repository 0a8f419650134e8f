package dev.envelope.core.testkit;

import dev.envelope.core.source.RefusingConsumer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer whose group and whose broker's answers are driven by hand. It keeps Kafka's rules:
 * rebalances happen inside {@code poll()}, where the listener is called; a partition without a
 * position, or one outside of the log, makes every poll throw; records of a paused partition are
 * not returned; replies to asynchronous commits come in a later poll, in order. Once it has fetched
 * a batch that it can't read, it throws without naming the partition, paused or not, until that is
 * sought to elsewhere.
 *
 * <p>It is stricter than Kafka in one thing (I7): whatever names a partition that is not assigned
 * is an error, and a lost partition is not assigned any more when the listener is told.
 *
 * <p>Threads: one thread; a call from another, or from inside a call that it is not allowed in, is
 * an error.
 */
public final class ScriptedConsumer extends RefusingConsumer<byte @Nullable [], byte @Nullable []> {

    private static final class Subscribed {
        private boolean paused;
        private long position = -1;
        private boolean unreadable; // what it has fetched at its position
        private Optional<Integer> leaderEpoch = Optional.empty();
    }

    private record Reply(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            OffsetCommitCallback callback,
            @Nullable Exception problem) {}

    private static final ConsumerRebalanceListener NOBODY =
            new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}
            };

    private final InMemoryCluster cluster;
    private final Map<TopicPartition, Subscribed> assigned = new LinkedHashMap<>();
    private final Queue<Runnable> rebalances = new ArrayDeque<>();
    private final Queue<RuntimeException> pollFailures = new ArrayDeque<>();
    private final Queue<Exception> commitFailures = new ArrayDeque<>();
    private final Queue<Reply> replies = new ArrayDeque<>();
    private final List<Map<TopicPartition, OffsetAndMetadata>> commits = new ArrayList<>();
    private final Set<String> topics = new TreeSet<>();
    private ConsumerRebalanceListener listener = NOBODY;
    private @Nullable Thread owner;
    private boolean repliesHeld;
    private boolean polling;
    private boolean closed;
    private int maxPollRecords = 500;
    private Duration lastPollTimeout = Duration.ZERO;

    public ScriptedConsumer(InMemoryCluster cluster) {
        this.cluster = cluster;
    }

    // --- what the group and the broker do

    /** The next poll brings these partitions. */
    public void assign(TopicPartition... partitions) {
        List<TopicPartition> given = List.of(partitions);
        rebalances.add(
                () -> {
                    for (TopicPartition partition : given) {
                        if (assigned.putIfAbsent(partition, new Subscribed()) != null) {
                            throw new IllegalArgumentException("is assigned: " + partition);
                        }
                    }
                    listener.onPartitionsAssigned(given);
                });
    }

    /** The next poll tells of these partitions as if they were new, though they are not. */
    public void assignAgain(TopicPartition... partitions) {
        List<TopicPartition> given = List.of(partitions);
        rebalances.add(() -> listener.onPartitionsAssigned(given));
    }

    /** The next poll takes these partitions, after the listener has had its say. */
    public void revoke(TopicPartition... partitions) {
        List<TopicPartition> taken = List.of(partitions);
        rebalances.add(
                () -> {
                    listener.onPartitionsRevoked(taken);
                    assigned.keySet().removeAll(taken);
                });
    }

    /** The next poll finds that these partitions have been somebody else's for a while. */
    public void lose(TopicPartition... partitions) {
        List<TopicPartition> taken = List.of(partitions);
        rebalances.add(
                () -> {
                    assigned.keySet().removeAll(taken);
                    listener.onPartitionsLost(taken);
                });
    }

    /** A poll to come throws this; one poll for each call. */
    public void failPoll(RuntimeException with) {
        pollFailures.add(with);
    }

    /** The client knows no more where this partition is, and every poll throws until it is told. */
    public void forgetPosition(TopicPartition partition) {
        subscribed(partition).position = -1;
    }

    /** A commit to come is answered with this; one commit for each call. */
    public void failCommit(Exception with) {
        commitFailures.add(with);
    }

    /** Whether asynchronous commits are left without a reply for now. */
    public void holdCommitReplies(boolean held) {
        repliesHeld = held;
    }

    public void maxPollRecords(int records) {
        maxPollRecords = records;
    }

    // --- what was asked of it

    /** All that was committed, commit by commit, in the order in which the broker got them. */
    public List<Map<TopicPartition, OffsetAndMetadata>> commits() {
        return commits;
    }

    public boolean isClosed() {
        return closed;
    }

    public Duration lastPollTimeout() {
        return lastPollTimeout;
    }

    public boolean isPaused(TopicPartition partition) {
        return subscribed(partition).paused;
    }

    // --- the consumer

    private void enter() {
        Thread current = Thread.currentThread();
        if (owner == null) {
            owner = current;
        }
        if (owner != current) {
            throw new IllegalStateException("the consumer belongs to " + owner);
        }
        if (closed) {
            throw new IllegalStateException("the consumer is closed");
        }
    }

    private Subscribed subscribed(TopicPartition partition) {
        Subscribed subscribed = assigned.get(partition);
        if (subscribed == null) {
            throw new IllegalStateException("I7: not assigned: " + partition);
        }
        return subscribed;
    }

    @Override
    public void subscribe(Collection<String> to, ConsumerRebalanceListener by) {
        enter();
        topics.addAll(to);
        listener = by;
    }

    /** Without a group; what stays is read on. */
    @Override
    public void assign(Collection<TopicPartition> partitions) {
        enter();
        assigned.keySet().retainAll(partitions);
        partitions.forEach(it -> assigned.putIfAbsent(it, new Subscribed()));
    }

    @Override
    public Set<String> subscription() {
        return Set.copyOf(topics);
    }

    @Override
    public Set<TopicPartition> assignment() {
        enter();
        return Set.copyOf(assigned.keySet());
    }

    @Override
    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        enter();
        if (polling) {
            throw new IllegalStateException("poll() inside poll()");
        }
        lastPollTimeout = timeout;
        polling = true;
        try {
            if (!repliesHeld) {
                reply();
            }
            for (Runnable next = rebalances.poll(); next != null; next = rebalances.poll()) {
                next.run();
            }
            RuntimeException failure = pollFailures.poll();
            if (failure != null) {
                throw failure;
            }
            requirePositions();
            return fetch();
        } finally {
            polling = false;
        }
    }

    private void requirePositions() {
        Set<TopicPartition> without =
                assigned.entrySet().stream()
                        .filter(it -> it.getValue().position < 0)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet());
        if (!without.isEmpty()) {
            throw new NoOffsetForPartitionException(without);
        }
    }

    private ConsumerRecords<byte @Nullable [], byte @Nullable []> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> fetched =
                new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        int room = maxPollRecords;
        requireReadable();
        for (Map.Entry<TopicPartition, Subscribed> entry : assigned.entrySet()) {
            TopicPartition partition = entry.getKey();
            Subscribed subscribed = entry.getValue();
            if (subscribed.paused || room == 0) {
                continue;
            }
            long from = subscribed.position;
            requireSameLog(partition, subscribed);
            long end = cluster.end(partition);
            if (from < cluster.start(partition) || from > end) {
                throw new OffsetOutOfRangeException(Map.of(partition, from));
            }
            if (cluster.isCorrupt(partition, from)) {
                subscribed.unreadable = true;
                if (fetched.isEmpty()) {
                    requireReadable();
                }
                continue;
            }
            var records = cluster.read(partition, from, room);
            room -= records.size();
            if (!records.isEmpty()) {
                fetched.put(partition, records);
                var last = records.get(records.size() - 1);
                subscribed.position = last.offset() + 1;
                subscribed.leaderEpoch = last.leaderEpoch();
            }
            if (cluster.read(partition, subscribed.position, 1).isEmpty()) {
                // behind markers and gaps
                subscribed.position = cluster.readableEnd(partition, subscribed.position);
            }
            if (subscribed.position > from) {
                next.put(
                        partition,
                        new OffsetAndMetadata(subscribed.position, subscribed.leaderEpoch, ""));
            }
        }
        return new ConsumerRecords<>(fetched, next);
    }

    /** Where the leader epoch of its position is known, the client asks where that has ended. */
    private void requireSameLog(TopicPartition partition, Subscribed at) {
        long end = at.leaderEpoch.map(it -> cluster.endOf(partition, it)).orElse(at.position);
        if (end < at.position) {
            throw new LogTruncationException(
                    Map.of(partition, at.position),
                    Map.of(partition, new OffsetAndMetadata(end, at.leaderEpoch, "")));
        }
    }

    private void requireReadable() {
        for (Subscribed subscribed : assigned.values()) {
            if (subscribed.unreadable) {
                throw new KafkaException(
                        "Received exception when fetching the next record",
                        new CorruptRecordException("Record is corrupt"));
            }
        }
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        seek(partition, new OffsetAndMetadata(offset, Optional.empty(), ""));
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata to) {
        enter();
        Subscribed subscribed = subscribed(partition);
        subscribed.unreadable &= subscribed.position == to.offset();
        subscribed.position = to.offset();
        subscribed.leaderEpoch = to.leaderEpoch();
    }

    @Override
    public long position(TopicPartition partition) {
        enter();
        return subscribed(partition).position;
    }

    @Override
    public Set<TopicPartition> paused() {
        enter();
        return assigned.entrySet().stream()
                .filter(it -> it.getValue().paused)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        enter();
        partitions.forEach(this::subscribed);
        partitions.forEach(partition -> subscribed(partition).paused = true);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        enter();
        partitions.forEach(this::subscribed);
        partitions.forEach(partition -> subscribed(partition).paused = false);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        enter();
        long position = subscribed(partition).position;
        return position < 0
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, cluster.end(partition) - position));
    }

    // --- commits

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        enter();
        offsets.keySet().forEach(this::subscribed);
        reply(); // Kafka waits for those that were sent before
        Exception failure = commitFailures.poll();
        if (failure != null) {
            throw failure instanceof RuntimeException it ? it : new KafkaException(failure);
        }
        commit(offsets);
    }

    @Override
    public void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        enter();
        offsets.keySet().forEach(this::subscribed);
        Exception failure = commitFailures.poll();
        if (failure == null) {
            commit(offsets);
        }
        replies.add(new Reply(Map.copyOf(offsets), callback, failure));
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        commits.add(Map.copyOf(offsets));
        offsets.forEach(cluster::commit);
    }

    private void reply() {
        for (Reply next = replies.poll(); next != null; next = replies.poll()) {
            answer(next);
        }
    }

    @SuppressWarnings("NullAway") // Kafka's interface does not say that the exception may be null
    private static void answer(Reply reply) {
        reply.callback().onComplete(reply.offsets(), reply.problem());
    }

    @Override
    public void close(CloseOptions options) {
        enter();
        reply();
        List<TopicPartition> all = List.copyOf(assigned.keySet());
        if (!all.isEmpty()) {
            listener.onPartitionsRevoked(all);
        }
        assigned.clear();
        closed = true;
    }

    @Override
    @SuppressWarnings("removal") // Kafka 4.3 has no other way to make one
    public ConsumerGroupMetadata groupMetadata() {
        return new ConsumerGroupMetadata("scripted", 1, "member", Optional.empty());
    }
}
