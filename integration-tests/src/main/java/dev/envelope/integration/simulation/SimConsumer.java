package dev.envelope.integration.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka client of a simulated process: the methods that the engine uses, with the real client's
 * manners. Callbacks run inside poll; a partition without a position makes every poll throw;
 * whoever names a partition that is not his is refused (I7).
 *
 * <p>Threads: one thread. The engine sees it as a {@link Consumer} by {@link #asConsumer}, which
 * refuses every other method.
 */
public final class SimConsumer {

    private static final int MAX_POLL_RECORDS = 40;

    private final SimInstance owner;
    private final World world;
    private final Map<TopicPartition, Long> positions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new LinkedHashSet<>();
    private final Queue<Runnable> callbacks = new ArrayDeque<>();
    private SimGroup.@Nullable Member member;
    private @Nullable ConsumerRebalanceListener listener;

    SimConsumer(SimInstance owner, World world) {
        this.owner = owner;
        this.world = world;
    }

    @SuppressWarnings("unchecked")
    Consumer<byte @Nullable [], byte @Nullable []> asConsumer() {
        return (Consumer<byte @Nullable [], byte @Nullable []>)
                Proxy.newProxyInstance(
                        SimConsumer.class.getClassLoader(),
                        new Class<?>[] {Consumer.class},
                        (proxy, method, arguments) -> call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return SimConsumer.class
                    .getMethod(method.getName(), method.getParameterTypes())
                    .invoke(this, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        listener = callback;
        member = world.group().join(owner.name(), world.scheduler().now());
    }

    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        owner.gate();
        world.group().seen(member(), world.scheduler().now());
        runCallbacks();
        rebalance();
        owner.gate();
        return fetch();
    }

    private void runCallbacks() {
        for (Runnable callback = callbacks.poll(); callback != null; callback = callbacks.poll()) {
            callback.run();
        }
    }

    private void rebalance() {
        SimGroup group = world.group();
        ConsumerRebalanceListener told = Objects.requireNonNull(listener);
        if (group.isOut(member())) {
            List<TopicPartition> lost = List.copyOf(positions.keySet());
            told.onPartitionsLost(lost);
            forget(lost);
            group.rejoin(member(), world.scheduler().now());
        }
        List<TopicPartition> revoked = group.toRevoke(member());
        if (!revoked.isEmpty()) {
            told.onPartitionsRevoked(revoked);
            owner.gate();
            group.revoked(member(), revoked);
            forget(revoked);
        }
        if (!group.isOut(member())) {
            List<TopicPartition> assigned = group.toAssign(member());
            if (!assigned.isEmpty()) {
                forget(assigned);
                assigned.forEach(partition -> positions.put(partition, -1L));
                told.onPartitionsAssigned(assigned);
            }
        }
    }

    private void forget(Collection<TopicPartition> partitions) {
        partitions.forEach(positions::remove);
        partitions.forEach(paused::remove);
    }

    private ConsumerRecords<byte @Nullable [], byte @Nullable []> fetch() {
        List<TopicPartition> without =
                positions.keySet().stream()
                        .filter(tp -> positions.getOrDefault(tp, 0L) < 0)
                        .toList();
        if (!without.isEmpty()) {
            throw new NoOffsetForPartitionException(without);
        }
        Map<TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> records =
                new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        for (TopicPartition partition : List.copyOf(positions.keySet())) {
            if (!paused.contains(partition)) {
                fetch(partition, records, next);
            }
        }
        return new ConsumerRecords<>(records, next);
    }

    private void fetch(
            TopicPartition partition,
            Map<TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> into,
            Map<TopicPartition, OffsetAndMetadata> next) {
        long position = positions.getOrDefault(partition, 0L);
        int most = 1 + world.random().nextInt(MAX_POLL_RECORDS);
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> some = new ArrayList<>();
        var log = world.log().records(partition.partition());
        for (int i = firstAtOrAfter(log, position); i < log.size() && some.size() < most; i++) {
            some.add(log.get(i));
        }
        boolean hasAll = some.size() < most;
        long after =
                hasAll || some.isEmpty()
                        ? world.log().end(partition.partition()).offset()
                        : some.get(some.size() - 1).offset() + 1;
        if (after > position) {
            positions.put(partition, after);
            int epoch = world.log().end(partition.partition()).leaderEpoch();
            next.put(partition, new OffsetAndMetadata(after, Optional.of(epoch), ""));
        }
        if (!some.isEmpty()) {
            into.put(partition, some);
        }
    }

    private static int firstAtOrAfter(List<? extends ConsumerRecord<?, ?>> log, long offset) {
        int low = 0;
        int high = log.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (log.get(middle).offset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public void pause(Collection<TopicPartition> partitions) {
        requireAssigned(partitions);
        paused.addAll(partitions);
    }

    public void resume(Collection<TopicPartition> partitions) {
        requireAssigned(partitions);
        paused.removeAll(Set.copyOf(partitions));
    }

    public Set<TopicPartition> paused() {
        return Set.copyOf(paused);
    }

    public void seek(TopicPartition partition, long offset) {
        requireAssigned(List.of(partition));
        positions.put(partition, offset);
    }

    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        seek(partition, offset.offset());
    }

    public OptionalLong currentLag(TopicPartition partition) {
        Long position = positions.get(partition);
        return position == null || position < 0
                ? OptionalLong.empty()
                : OptionalLong.of(world.log().end(partition.partition()).offset() - position);
    }

    public void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        requireAssigned(offsets.keySet());
        SimGroup.Member committing = member();
        long latency = 200_000L + world.random().nextInt(4_000_000);
        world.scheduler()
                .after(
                        latency,
                        () -> {
                            Exception problem = commit(committing, offsets);
                            callbacks.add(() -> callback.onComplete(offsets, problem));
                        });
    }

    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        requireAssigned(offsets.keySet());
        world.scheduler().block(200_000L + world.random().nextInt(4_000_000));
        owner.gate();
        RuntimeException problem = commit(member(), offsets);
        if (problem != null) {
            throw problem;
        }
    }

    private @Nullable RuntimeException commit(
            SimGroup.Member by, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!offsets.keySet().stream().allMatch(by::owns)) {
            return new CommitFailedException();
        }
        if (world.faults().happens(Fault.COMMIT_REFUSED)) {
            return new TimeoutException("the broker did not answer");
        }
        offsets.forEach((partition, next) -> world.checks().committed(owner, partition, next));
        return null;
    }

    public void close(CloseOptions options) {
        List<TopicPartition> owned = List.copyOf(positions.keySet());
        if (listener != null && !owned.isEmpty()) {
            listener.onPartitionsRevoked(owned);
        }
        forget(owned);
        world.group().leave(member());
    }

    private void requireAssigned(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            if (!positions.containsKey(partition)) {
                throw new Violation("I7", partition + " is not assigned to " + owner);
            }
        }
    }

    private SimGroup.Member member() {
        return Objects.requireNonNull(member);
    }
}
