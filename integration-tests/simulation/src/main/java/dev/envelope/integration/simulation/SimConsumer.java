package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.TopicAdmin.Commit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka client of a simulated process: the methods that the engine uses, with the real client's
 * manners. Callbacks run inside poll; a partition without a position makes every poll throw;
 * commits reach the broker in their order; whoever names a partition that is not his is refused
 * (I7).
 *
 * <p>Threads: one thread. The engine sees it as a {@link Consumer} by {@link #asConsumer}, which
 * refuses every other method.
 */
public final class SimConsumer {

    private static final Map<Method, Method> METHODS = new ConcurrentHashMap<>();

    /** Who looks at what it is asked and told. */
    interface Watch {

        void took(List<TopicPartition> assigned);

        void gaveUp(List<TopicPartition> revoked, long nanos);

        void fetched(TopicPartition partition);

        void commitBegins(Map<TopicPartition, OffsetAndMetadata> offsets);

        void commitEnds();

        /** Before the broker has it. */
        void commits(TopicPartition partition, OffsetAndMetadata next);
    }

    private final SimProcess owner;
    private final Cluster world;
    private final Watch watch;
    private final SimFetcher fetcher;
    private final Queue<Runnable> callbacks = new ArrayDeque<>();
    private SimGroup.@Nullable Member member;
    private @Nullable ConsumerRebalanceListener listener;
    private long lastCommitArrives;

    SimConsumer(SimProcess owner, Cluster world, Watch watch) {
        this.owner = owner;
        this.world = world;
        this.watch = watch;
        this.fetcher = new SimFetcher(world);
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
            return METHODS.computeIfAbsent(method, SimConsumer::ours).invoke(this, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static Method ours(Method method) {
        try {
            return SimConsumer.class.getMethod(method.getName(), method.getParameterTypes());
        } catch (NoSuchMethodException e) {
            throw new UnsupportedOperationException(method.getName(), e);
        }
    }

    @SuppressWarnings("removal") // Kafka 4.3 has no other way to make one
    public ConsumerGroupMetadata groupMetadata() {
        return new ConsumerGroupMetadata("app", generation(), owner.name(), Optional.empty());
    }

    private int generation() {
        return member == null ? -1 : member.generation();
    }

    public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        listener = callback;
        member = world.group().join(owner.name(), world.scheduler().now());
    }

    /** Instead of a group it says itself what it reads. */
    public void assign(Collection<TopicPartition> partitions) {
        List<TopicPartition> gone = new ArrayList<>(fetcher.assigned());
        gone.removeAll(partitions);
        List<TopicPartition> come = new ArrayList<>(partitions);
        come.removeAll(fetcher.assigned());
        fetcher.forget(gone);
        watch.took(come);
        fetcher.assign(come);
    }

    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        owner.gate();
        if (member != null) {
            world.group().seen(member, world.scheduler().now());
        }
        runCallbacks();
        if (member != null) {
            rebalance();
        }
        owner.gate();
        ConsumerRecords<byte @Nullable [], byte @Nullable []> records = fetcher.poll();
        records.partitions().forEach(watch::fetched);
        return records;
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
            List<TopicPartition> lost = List.copyOf(fetcher.assigned());
            if (!lost.isEmpty()) {
                told.onPartitionsLost(lost);
            }
            fetcher.forget(lost);
            group.rejoin(member(), world.scheduler().now());
        }
        List<TopicPartition> before = group.toGiveUpBeforeJoining(member());
        if (before != null) {
            if (giveUp(before)) {
                group.joins(member());
            }
        }
        if (!group.isOut(member()) && group.hasNews(member())) {
            List<TopicPartition> revoked = group.toRevoke(member());
            if (giveUp(revoked) && group.hasNews(member())) {
                take(group.toAssign(member()));
                group.syncs(member(), !revoked.isEmpty());
            }
        }
    }

    /** False if the group has gone on without this member meanwhile. */
    private boolean giveUp(List<TopicPartition> revoked) {
        if (!revoked.isEmpty()) {
            long begun = world.scheduler().now();
            Objects.requireNonNull(listener).onPartitionsRevoked(revoked);
            owner.gate();
            watch.gaveUp(revoked, world.scheduler().now() - begun);
            world.group().revoked(member(), revoked);
            fetcher.forget(revoked);
        }
        return !world.group().isOut(member());
    }

    /** The classic protocols tell of each round, be there nothing new in it. */
    private void take(List<TopicPartition> assigned) {
        if (!assigned.isEmpty() || world.group().protocol() != SimGroup.Protocol.CONSUMER) {
            watch.took(assigned);
            fetcher.forget(assigned);
            fetcher.assign(assigned);
            Objects.requireNonNull(listener).onPartitionsAssigned(assigned);
        }
    }

    public void pause(Collection<TopicPartition> partitions) {
        requireAssigned(partitions);
        fetcher.paused().addAll(partitions);
    }

    public void resume(Collection<TopicPartition> partitions) {
        requireAssigned(partitions);
        fetcher.paused().removeAll(Set.copyOf(partitions));
    }

    public Set<TopicPartition> assignment() {
        return Set.copyOf(fetcher.assigned());
    }

    public Set<TopicPartition> paused() {
        return Set.copyOf(fetcher.paused());
    }

    public void seek(TopicPartition partition, long offset) {
        requireAssigned(List.of(partition));
        fetcher.seek(partition, offset, NextOffset.NO_EPOCH);
    }

    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        requireAssigned(List.of(partition));
        fetcher.seek(partition, offset.offset(), offset.leaderEpoch().orElse(NextOffset.NO_EPOCH));
    }

    public OptionalLong currentLag(TopicPartition partition) {
        return fetcher.lag(partition);
    }

    public void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        requireAssigned(offsets.keySet());
        watch.commitBegins(offsets);
        SimGroup.@Nullable Member committing = member;
        world.scheduler()
                .after(
                        commitTravels(),
                        () -> {
                            Exception problem = commit(committing, offsets);
                            callbacks.add(
                                    () -> {
                                        watch.commitEnds();
                                        callback.onComplete(offsets, problem);
                                    });
                        });
    }

    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        requireAssigned(offsets.keySet());
        world.scheduler().block(commitTravels());
        owner.gate();
        RuntimeException problem = commit(member, offsets);
        if (problem != null) {
            throw problem;
        }
    }

    /** One connection: no commit overtakes another. */
    private long commitTravels() {
        long now = world.scheduler().now();
        long arrives = now + 200_000L + world.random().nextInt(4_000_000);
        lastCommitArrives = Math.max(lastCommitArrives + 1, arrives);
        return lastCommitArrives - now;
    }

    private @Nullable RuntimeException commit(
            SimGroup.@Nullable Member by, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (by == null) {
            return written(offsets); // nobody is asked who has what
        } else if (!offsets.keySet().stream().allMatch(by::owns)) {
            return new CommitFailedException();
        }
        if (by.isBetween()) {
            return new RebalanceInProgressException();
        }
        return written(offsets);
    }

    private @Nullable RuntimeException written(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (world.faults().happens(Fault.COMMIT_REFUSED)) {
            return new TimeoutException("the broker did not answer");
        }
        offsets.forEach(this::commit);
        return null;
    }

    private void commit(TopicPartition partition, OffsetAndMetadata next) {
        watch.commits(partition, next);
        NextOffset offset =
                new NextOffset(next.offset(), next.leaderEpoch().orElse(NextOffset.NO_EPOCH));
        world.log().commit(partition, new Commit(offset, next.metadata()));
    }

    public void close(CloseOptions options) {
        List<TopicPartition> owned = List.copyOf(fetcher.assigned());
        if (listener != null && !owned.isEmpty()) {
            listener.onPartitionsRevoked(owned);
        }
        fetcher.forget(owned);
        if (member != null) {
            world.group().leave(member);
        }
    }

    private void requireAssigned(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            if (!fetcher.assigned().contains(partition)) {
                owner.failed("I7", partition + " is not assigned to " + owner.name());
            }
        }
    }

    /** Whether this process has the partition, as the group says, or it itself. */
    boolean owns(TopicPartition partition) {
        return member == null ? fetcher.assigned().contains(partition) : member.owns(partition);
    }

    SimFetcher fetcher() {
        return fetcher;
    }

    private SimGroup.Member member() {
        return Objects.requireNonNull(member);
    }
}
