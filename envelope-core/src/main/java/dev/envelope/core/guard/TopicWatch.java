package dev.envelope.core.guard;

import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.RepeatedQuestion;
import dev.envelope.core.position.PositionFinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every few seconds whether the topics still are those that were positioned: one that was
 * deleted and made again has the same name and another id, and the client reads on in it where it
 * can. One that is gone at two looks is told of: the group has taken its partitions away without a
 * word. And it looks at each fetched batch, since leader epochs never fall within a log.
 *
 * <p>Threads: poll thread only; the ids are asked for in the background.
 */
final class TopicWatch {

    private static final Logger log = LoggerFactory.getLogger(TopicWatch.class);
    private static final Duration EVERY = Duration.ofSeconds(3);

    private final Set<String> topics;
    private final Assigned assignment;
    private final PositionFinder finder;
    private final LogTroubles troubles;
    private final RepeatedQuestion ids;
    private Set<String> gone = Set.of();
    private List<String> missing = List.of();

    TopicWatch(
            Set<String> topics,
            Assigned assignment,
            PositionFinder finder,
            LogTroubles troubles,
            Background background) {
        this.topics = topics;
        this.assignment = assignment;
        this.finder = finder;
        this.troubles = troubles;
        this.ids = background.repeated(EVERY, log, "looking at the ids of topics");
    }

    /** Asks for the ids of all topics that are read, at the interval. */
    void turn() {
        if (!ids.isDue()) {
            return;
        }
        Map<AssignedPartition, Long> readTo = new LinkedHashMap<>();
        for (AssignedPartition partition : assignment.all()) {
            if (partition.phase() instanceof Flowing flowing) {
                readTo.put(partition, flowing.commitment().ledger().position().offset());
            }
        }
        ids.ask(() -> finder.topicIds(topics), found -> answered(readTo, found));
    }

    /** Topics that are to be read and that do not exist, by their names. */
    List<String> missing() {
        return missing;
    }

    /**
     * The partitions of a topic that does not exist any more are left alone: the group takes them
     * away.
     *
     * @param readTo how far each had been read when the question was asked
     */
    private void answered(Map<AssignedPartition, Long> readTo, Map<String, Uuid> found) {
        List<AssignedPartition> others = new ArrayList<>();
        readTo.forEach(
                (partition, offset) -> {
                    Uuid id = found.get(partition.partition().topic());
                    if (id == null || !isFlowing(partition)) {
                        return;
                    }
                    if (partition.found().filter(it -> id.equals(it.topicId())).isPresent()) {
                        partition.confirm(offset);
                    } else {
                        others.add(partition);
                    }
                });
        if (!others.isEmpty()) {
            troubles.recreated(others);
        }
        seen(found.keySet());
    }

    /** A broker that has just come up may not know of a topic yet: it takes two looks. */
    private void seen(Set<String> existing) {
        Set<String> goneNow = new TreeSet<>(topics);
        goneNow.removeAll(existing);
        List<String> missingNow = goneNow.stream().filter(gone::contains).toList();
        missingNow.stream()
                .filter(it -> !missing.contains(it))
                .forEach(it -> log.error("topic {} does not exist any more", it));
        missing.stream()
                .filter(existing::contains)
                .forEach(it -> log.info("topic {} exists again", it));
        gone = goneNow;
        missing = missingNow;
    }

    private boolean isFlowing(AssignedPartition partition) {
        return assignment.has(partition) && partition.phase() instanceof Flowing;
    }

    /** Takes partitions aside whose next record is of an earlier leader epoch than the last. */
    void see(ConsumerRecords<?, ?> records) {
        for (TopicPartition name : records.partitions()) {
            AssignedPartition partition = assignment.get(name).orElse(null);
            if (partition != null && partition.phase() instanceof Flowing flowing) {
                int last = flowing.commitment().ledger().position().leaderEpoch();
                int next = records.records(name).get(0).leaderEpoch().orElse(last);
                if (next < last) {
                    troubles.rewritten(partition, next);
                }
            }
        }
    }
}
