package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What was applied of a topic that had been made again, under the name of the former one. The
 * client reads on in it where it can, and its id is looked at every few seconds only: records that
 * come before that are in doubt, and so is what they were applied to.
 *
 * <p>Threads: one thread.
 */
final class Doubts {

    /**
     * Two looks of which one fails, and before them the longest freeze and the slowest reply; three
     * times, since a process that waits is resumed only after those that began to wait later: its
     * own relay, requests and purge among them.
     */
    private static final Duration LONGEST = Duration.ofSeconds(75);

    private final World world;
    private final Map<String, Long> recreated = new HashMap<>(); // by topic, when, in order
    private final Set<Integer> sources = new HashSet<>();
    private final Set<Integer> former = new HashSet<>(); // sources under whose name others are read
    private final Set<String> rows = new HashSet<>();

    Doubts(World world) {
        this.world = world;
    }

    void recreated(String topic) {
        recreated.put(topic, world.scheduler().inOrder());
    }

    /**
     * A process was given records of this partition. If they are not of the log that it reads, what
     * they leave out of that is passed by as a gap: a checkpoint may be behind it before any of
     * them is applied.
     */
    void fetched(TopicPartition partition) {
        if (recreated.containsKey(partition.topic())) {
            SimPartition read = Objects.requireNonNull(world.log().find(partition));
            world.database().sources().stream()
                    .filter(it -> it.partition().equals(partition))
                    .filter(it -> !it.topicId().equals(read.topicId()))
                    .forEach(it -> former.add(it.number()));
        }
    }

    /** Whether checkpoints of it may go by what was read of another log. */
    boolean isOfFormer(int source) {
        return former.contains(source);
    }

    /** A process is about to apply these. */
    void applying(SimInstance process, Envelope envelope) {
        if (recreated.isEmpty()) {
            return;
        }
        for (Message message : envelope.messages()) {
            Long since = recreated.get(message.topic());
            if (since != null && !isOfItsSource(message)) {
                if (world.scheduler().inOrder() - since > LONGEST.toNanos()) {
                    world.checks().fail("in-doubt", process.name() + " still reads " + message);
                }
                sources.add(message.epoch().source());
                rows.add(envelope.key());
            }
        }
    }

    private boolean isOfItsSource(Message message) {
        TopicPartition partition = message.epoch().partition();
        return world.database().sources().stream()
                .filter(it -> it.number() == message.epoch().source())
                .filter(it -> it.partition().equals(partition)) // the database may have gone back
                .map(it -> world.log().of(partition, it.topicId()))
                .anyMatch(it -> it.has(Trace.place(message)));
    }

    /** Nothing is known of what is below its marks and checkpoints. */
    boolean isOfSource(int source) {
        return sources.contains(source);
    }

    /** Nothing is known of what it should hold. */
    boolean isOfRow(String key) {
        return rows.contains(key);
    }
}
