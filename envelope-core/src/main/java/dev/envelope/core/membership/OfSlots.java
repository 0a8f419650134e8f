package dev.envelope.core.membership;

import dev.envelope.core.api.Environment.Parker;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.RepeatedQuestion;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
    private final Parker parker;
    private final RepeatedQuestion looking;
    private Set<String> topics = Set.of();
    private @Nullable ConsumerRebalanceListener listener;
    private Map<String, Integer> partitions = Map.of(); // how many, by topic
    private Map<TopicPartition, Long> assigned = Map.of(); // by the tenure of its slot
    private @Nullable Basis basis; // of what is assigned; null before the first poll

    /** What partitions follow from. */
    private record Basis(Map<Integer, Long> held, Map<String, Integer> partitions) {}

    public OfSlots(
            Consumer<byte @Nullable [], byte @Nullable []> consumer,
            Slots slots,
            TopicAdmin admin,
            Background background,
            Parker parker) {
        this.consumer = consumer;
        this.slots = slots;
        this.admin = admin;
        this.parker = parker;
        this.looking = background.repeated(EVERY, log, "looking at the partitions of topics");
    }

    @Override
    public void begin(Set<String> wanted, ConsumerRebalanceListener told) {
        topics = wanted;
        listener = told;
        looking.hurry();
        slots.onChange(parker::unpark);
    }

    @Override
    public ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(Duration timeout) {
        if (looking.isDue()) {
            looking.ask(() -> admin.describe(topics), this::found);
        }
        follow();
        if (assigned.isEmpty()) { // the client can't be polled then
            parker.park(timeout.toNanos());
            return ConsumerRecords.empty();
        }
        return consumer.poll(timeout);
    }

    /**
     * A topic that is not found keeps its partitions: a broker that has come up may not know it.
     */
    private void found(Map<String, Topic> described) {
        Map<String, Integer> now = new HashMap<>(partitions);
        described.forEach((name, topic) -> now.put(name, topic.partitions()));
        partitions = now;
    }

    private void follow() {
        Basis now = new Basis(slots.held(), partitions);
        if (now.equals(basis)) {
            return;
        }
        boolean isFirst = basis == null;
        basis = now;
        Map<TopicPartition, Long> wanted = wanted(now.held());
        ConsumerRebalanceListener told = Objects.requireNonNull(listener);
        Map<TopicPartition, Long> kept = new LinkedHashMap<>(assigned);
        kept.entrySet().removeIf(it -> !it.getValue().equals(wanted.get(it.getKey())));
        List<TopicPartition> lost = without(assigned, kept);
        List<TopicPartition> come = without(wanted, kept);
        assigned = wanted;
        if (!lost.isEmpty()) {
            told.onPartitionsLost(lost);
            consumer.assign(kept.keySet()); // so that one that comes back at once is read anew
        }
        consumer.assign(wanted.keySet());
        if (!come.isEmpty() || isFirst) {
            told.onPartitionsAssigned(come);
        }
    }

    private Map<TopicPartition, Long> wanted(Map<Integer, Long> held) {
        Map<TopicPartition, Long> wanted = new LinkedHashMap<>();
        partitions.forEach(
                (topic, count) -> {
                    for (int number = 0; number < count; number++) {
                        @Nullable Long tenure = held.get(SlotPlan.slotOf(number, slots.count()));
                        if (tenure != null) {
                            wanted.put(new TopicPartition(topic, number), tenure);
                        }
                    }
                });
        return wanted;
    }

    private static List<TopicPartition> without(
            Map<TopicPartition, Long> these, Map<TopicPartition, Long> those) {
        List<TopicPartition> rest = new ArrayList<>(these.keySet());
        rest.removeAll(those.keySet());
        return rest;
    }
}
