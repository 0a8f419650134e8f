package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.fetch.AssignedPartition.Flowing;
import dev.envelope.core.offset.Outage;
import dev.envelope.core.offset.PositionFinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
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
    private static final long EVERY_NANOS = Duration.ofSeconds(3).toNanos();

    private final Set<String> topics;
    private final Assignment assignment;
    private final PositionFinder finder;
    private final LogTroubles troubles;
    private final Environment environment;
    private final Executor errands;
    private final Outage outage = new Outage(log, "looking at the ids of topics");
    private long nextAt;
    private boolean underWay;
    private Set<String> gone = Set.of();
    private List<String> missing = List.of();

    TopicWatch(
            Set<String> topics,
            Assignment assignment,
            PositionFinder finder,
            LogTroubles troubles,
            Environment environment,
            Executor errands) {
        this.topics = topics;
        this.assignment = assignment;
        this.finder = finder;
        this.troubles = troubles;
        this.environment = environment;
        this.errands = errands;
        this.nextAt = environment.ticker().nanoTime() + EVERY_NANOS;
    }

    /** Asks for the ids of all topics that are read, at the interval. */
    void turn() {
        long now = environment.ticker().nanoTime();
        if (underWay || now - nextAt < 0) {
            return;
        }
        nextAt = now + EVERY_NANOS;
        Map<AssignedPartition, Long> readTo = new LinkedHashMap<>();
        for (AssignedPartition partition : assignment.all()) {
            if (partition.phase() instanceof Flowing flowing) {
                readTo.put(partition, flowing.commitment().ledger().position().offset());
            }
        }
        underWay = true;
        environment.background().execute(() -> ask(readTo));
    }

    /** Topics that are to be read and that do not exist, by their names. */
    List<String> missing() {
        return missing;
    }

    /** Background. */
    private void ask(Map<AssignedPartition, Long> readTo) {
        try {
            Map<String, Uuid> ids = finder.topicIds(topics);
            errands.execute(() -> answered(readTo, ids));
        } catch (UnavailableException e) {
            errands.execute(() -> notAnswered(e));
        } catch (RuntimeException | Error e) {
            errands.execute(
                    () -> {
                        throw new InvariantViolation("looking at the ids of topics broke off", e);
                    });
        }
    }

    private void notAnswered(UnavailableException why) {
        underWay = false;
        outage.failed(why);
    }

    /**
     * The partitions of a topic that does not exist any more are left alone: the group takes them
     * away.
     *
     * @param readTo how far each had been read when the question was asked
     */
    private void answered(Map<AssignedPartition, Long> readTo, Map<String, Uuid> ids) {
        underWay = false;
        outage.over();
        List<AssignedPartition> others = new ArrayList<>();
        readTo.forEach(
                (partition, offset) -> {
                    Uuid id = ids.get(partition.partition().topic());
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
        seen(ids.keySet());
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
