package dev.envelope.core.membership;

import dev.envelope.core.api.Environment.Parker;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.RepeatedQuestion;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.core.position.PositionFinder;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of the slots that are held. A slot that is gone was lost: what was read of its
 * partitions is forgotten and not committed, since another process may have them already.
 *
 * <p>Threads: poll thread only; topics are looked at in the background.
 */
public final class OfSlots implements Membership {

    private static final Logger log = LoggerFactory.getLogger(OfSlots.class);
    private static final Duration EVERY = Duration.ofSeconds(3);

    private final Consumer<byte @Nullable [], byte @Nullable []> consumer;
    private final Slots slots;
    private final TopicAdmin admin;
    private final PositionFinder finder;
    private final Parker parker;
    private final RepeatedQuestion looking;
    private final RepeatedQuestion rehearsing;
    private Set<String> topics = Set.of();
    private @Nullable ConsumerRebalanceListener listener;
    private Known known = new Known(Map.of(), Set.of());
    private Map<TopicPartition, Long> assigned = Map.of(); // by the tenure of its slot
    private @Nullable Basis basis; // of what is assigned; null before the first poll

    /**
     * The topics as they were found.
     *
     * @param gone those that were not found at the last look, for the first time
     */
    private record Known(Map<String, Topic> topics, Set<String> gone) {

        /** A broker that has just come up may not know of a topic yet, or of all its partitions. */
        Known with(Map<String, Topic> found, Set<String> wanted) {
            Map<String, Topic> all = new HashMap<>(topics);
            Set<String> goneNow = new HashSet<>(wanted);
            goneNow.removeAll(found.keySet());
            goneNow.stream().filter(gone::contains).forEach(all::remove);
            found.forEach(
                    (name, topic) ->
                            all.merge(
                                    name,
                                    topic,
                                    (before, now) ->
                                            before.id().equals(now.id())
                                                            && before.partitions()
                                                                    > now.partitions()
                                                    ? before
                                                    : now));
            return new Known(all, goneNow);
        }

        /** The most partitions that a topic has. */
        int most() {
            return topics.values().stream().mapToInt(Topic::partitions).max().orElse(0);
        }
    }

    /** What partitions follow from. */
    private record Basis(Slots.Held held, Map<String, Topic> topics) {}

    public OfSlots(
            Consumer<byte @Nullable [], byte @Nullable []> consumer,
            Slots slots,
            TopicAdmin admin,
            PositionFinder finder,
            Background background,
            Parker parker) {
        this.consumer = consumer;
        this.slots = slots;
        this.admin = admin;
        this.finder = finder;
        this.parker = parker;
        this.looking = background.repeated(EVERY, log, "looking at the partitions of topics");
        this.rehearsing = background.repeated(EVERY, log, "rehearsing to take over");
    }

    @Override
    public void begin(Set<String> wanted, ConsumerRebalanceListener told) {
        topics = wanted;
        listener = told;
        looking.hurry();
        rehearsing.hurry();
        slots.onChange(parker::unpark);
    }

    @Override
    public int generation() {
        return basis == null ? -1 : basis.held().generation();
    }

    @Override
    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        if (looking.isDue()) {
            looking.ask(() -> admin.describe(topics), this::found);
        }
        if (!looking.isUnanswered()) {
            slots.isReading(known.most());
        }
        look();
        return assigned.isEmpty() ? await(timeout) : consumer.poll(timeout);
    }

    /** Has nothing to read, and will have to be quick when a slot comes. */
    private ConsumerRecords<byte @Nullable [], byte @Nullable []> await(Duration timeout) {
        if (rehearsing.isDue()) {
            rehearsing.ask(this::rehearse, rehearsed -> {});
        }
        if (!consumer.assignment().isEmpty()) { // otherwise it can't be polled
            consumer.poll(Duration.ZERO); // paused
        }
        parker.park(timeout.toNanos()); // unlike a poll, this ends when a slot comes
        return ConsumerRecords.empty();
    }

    private boolean rehearse() {
        finder.rehearse(topics);
        return true;
    }

    private void found(Map<String, Topic> described) {
        int before = known.most();
        known = known.with(described, topics);
        int now = known.most();
        int count = slots.held().count();
        if (now != before && now < count) {
            log.warn(
                    "no topic has more than {} partitions: of {} slots only the first {} are held",
                    now,
                    count,
                    now);
        }
    }

    @Override
    public void look() {
        Basis now = new Basis(slots.held(), known.topics());
        if (now.equals(basis)) {
            return;
        }
        Map<TopicPartition, Long> wanted = wanted(now);
        Map<TopicPartition, Long> kept = new LinkedHashMap<>(assigned);
        kept.entrySet().removeIf(it -> !it.getValue().equals(wanted.get(it.getKey())));
        lose(without(assigned, kept), kept);
        List<TopicPartition> come = without(wanted, kept);
        if (!come.isEmpty()) {
            consumer.assign(kept.keySet()); // what has stayed for the commits' sake is read anew
            consumer.assign(wanted.keySet());
        }
        assigned = wanted;
        boolean isFirst = basis == null;
        basis = now;
        if (!come.isEmpty() || isFirst) {
            Objects.requireNonNull(listener).onPartitionsAssigned(come);
        }
    }

    /** The client keeps the last ones, paused: it has to be polled to tell of commits. */
    private void lose(List<TopicPartition> lost, Map<TopicPartition, Long> kept) {
        if (lost.isEmpty()) {
            return;
        }
        assigned = kept;
        Objects.requireNonNull(listener).onPartitionsLost(lost);
        if (kept.isEmpty()) {
            consumer.pause(lost);
        } else {
            consumer.assign(kept.keySet());
        }
    }

    private Map<TopicPartition, Long> wanted(Basis basedOn) {
        Map<TopicPartition, Long> wanted = new LinkedHashMap<>();
        basedOn.topics()
                .forEach(
                        (name, topic) -> {
                            for (int i = 0; i < topic.partitions(); i++) {
                                int slot = SlotPlan.slotOf(i, basedOn.held().count());
                                @Nullable Long tenure = basedOn.held().slots().get(slot);
                                if (tenure != null) {
                                    wanted.put(new TopicPartition(name, i), tenure);
                                }
                            }
                        });
        return wanted;
    }

    private static List<TopicPartition> without(
            Map<TopicPartition, Long> these, Map<TopicPartition, Long> those) {
        return these.keySet().stream().filter(it -> !those.containsKey(it)).toList();
    }
}
