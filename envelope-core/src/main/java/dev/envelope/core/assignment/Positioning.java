package dev.envelope.core.assignment;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.assignment.AssignedPartition.Finding;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.AssignedPartition.Stopped;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.Outage;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.Memory;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.position.Divergence;
import dev.envelope.core.position.Position;
import dev.envelope.core.position.PositionFinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings assigned partitions from {@code Finding} to {@code Flowing}: has their positions found in
 * the background, and seeks. Until then a partition has a provisional position and is paused,
 * because the client throws for every partition as long as one has none.
 *
 * <p>Threads: poll thread only; the finder runs in the background and answers by an errand.
 */
public final class Positioning {

    private static final Logger log = LoggerFactory.getLogger(Positioning.class);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration RETRY_MAX = Duration.ofSeconds(5);

    private final Consumer<?, ?> consumer;
    private final Assignment assignment;
    private final PositionFinder finder;
    private final Environment environment;
    private final Background background;
    private final Telemetry telemetry;
    private final Runnable epochsEnded;
    private final StandingPauses pauses;
    private final Outage outage = new Outage(log, "looking for positions");
    private final HeldPartitions held;
    private long lastEpoch;
    private int failures;

    /**
     * @param pauses what is held back has to be known before anything flows
     * @param epochsEnded tells the shards to forget what was of epochs that are over
     */
    public Positioning(
            Consumer<?, ?> consumer,
            Assignment assignment,
            PositionFinder finder,
            Environment environment,
            Background background,
            StandingPauses pauses,
            Runnable epochsEnded,
            Telemetry telemetry) {
        this.consumer = consumer;
        this.assignment = assignment;
        this.finder = finder;
        this.environment = environment;
        this.background = background;
        this.pauses = pauses;
        this.epochsEnded = epochsEnded;
        this.telemetry = telemetry;
        this.held = new HeldPartitions(assignment, finder, background, this::resume);
    }

    /** Takes on partitions that have just been assigned. */
    public void begin(Collection<TopicPartition> partitions) {
        beginWith(partitions.stream().map(AssignedPartition::new).toList());
    }

    private void beginWith(List<AssignedPartition> fresh) {
        if (fresh.isEmpty()) {
            return;
        }
        List<TopicPartition> partitions = fresh.stream().map(AssignedPartition::partition).toList();
        consumer.pause(partitions);
        partitions.forEach(partition -> consumer.seek(partition, 0));
        fresh.forEach(partition -> partition.lookedFor(environment.ticker().nanoTime()));
        assignment.add(fresh);
        find(fresh);
    }

    private void find(List<AssignedPartition> open) {
        Set<TopicPartition> partitions =
                open.stream().map(AssignedPartition::partition).collect(Collectors.toSet());
        Map<TopicPartition, Divergence> diverged = new HashMap<>();
        long now = environment.ticker().nanoTime();
        open.forEach(it -> it.divergedAt(now).ifPresent(how -> diverged.put(it.partition(), how)));
        background.ask(
                "looking for positions",
                () -> new Answer(finder.find(partitions, diverged), pauses.read()),
                answer -> {
                    pauses.hold(answer.held()); // before anything of them flows
                    found(open, answer.positions());
                },
                unavailable -> notFound(open, unavailable));
    }

    /** Where partitions stand, and what operators hold back of them, read after that. */
    private record Answer(Map<TopicPartition, Position> positions, StandingPauses.Reading held) {}

    private void notFound(List<AssignedPartition> open, UnavailableException why) {
        outage.failed(why);
        failures++;
        Duration wait = FailurePolicy.backoff(RETRY, RETRY_MAX, failures, environment.random());
        background.later(wait, () -> findThoseStillOpen(open));
    }

    private void findThoseStillOpen(List<AssignedPartition> open) {
        List<AssignedPartition> still = open.stream().filter(this::isStillOpen).toList();
        if (!still.isEmpty()) {
            find(still);
        }
    }

    private boolean isStillOpen(AssignedPartition partition) {
        return assignment.has(partition) && partition.phase() instanceof Finding;
    }

    private void found(List<AssignedPartition> open, Map<TopicPartition, Position> positions) {
        List<AssignedPartition> unanswered = new ArrayList<>();
        String why = "";
        for (AssignedPartition partition : open) {
            @Nullable Position position = positions.get(partition.partition());
            if (position instanceof Position.Found found) {
                count(partition, found); // on record, whoever reads the partition now
            }
            if (isStillOpen(partition) && position != null) {
                if (position instanceof Position.Found found) {
                    flow(partition, found);
                } else if (position instanceof Position.Held held) {
                    stopUntilResumed(partition, held.source(), held.reason());
                } else if (position instanceof Position.Refused refused) {
                    stop(partition, refused.reason());
                } else if (position instanceof Position.Unanswered missing) {
                    unanswered.add(partition);
                    why = missing.why();
                }
            }
        }
        if (unanswered.isEmpty()) {
            outage.over();
            failures = 0;
        } else {
            notFound(unanswered, new UnavailableException(why));
        }
    }

    private void count(AssignedPartition partition, Position.Found found) {
        found.skips().stream()
                .filter(skip -> skip.cause() == Skip.Cause.GAP)
                .forEach(skip -> telemetry.gap(partition.partition(), skip.records()));
    }

    private void flow(AssignedPartition partition, Position.Found found) {
        PartitionEpoch epoch =
                new PartitionEpoch(
                        ++lastEpoch,
                        partition.partition(),
                        found.source(),
                        found.formerSources(),
                        found.incarnation(),
                        found.checkpoint(),
                        found.durable());
        consumer.seek(partition.partition(), seekable(found, found.next()));
        Memory memory =
                found.doneAhead() == null
                        ? null
                        : new Memory(
                                found.topicId(),
                                found.doneAhead(),
                                finder.partitionsAtFirst(found.topicId()),
                                telemetry);
        partition.become(new Flowing(new Commitment(epoch, found.next(), memory)));
        partition.found(found, environment.ticker().nanoTime());
        if (!found.remark().isEmpty()) {
            log.warn("{}", found.remark());
        }
        log.debug("{} begins at {}", epoch, found.next());
    }

    private static OffsetAndMetadata seekable(Position.Found found, NextOffset next) {
        int epoch = found.comparedBy(next);
        return new OffsetAndMetadata(
                next.offset(), epoch < 0 ? Optional.empty() : Optional.of(epoch), "");
    }

    /**
     * Positions every partition anew, as if just assigned: the database is in another life than the
     * one that their positions were read in. A stopped partition stays stopped, and its epoch ends.
     */
    public void beginAllAnew() {
        log.warn("the database server was restarted or replaced: reading positions anew");
        List<AssignedPartition> anew = new ArrayList<>();
        for (AssignedPartition partition : assignment.all()) {
            if (partition.phase() instanceof Stopped stopped) {
                partition.commitment().map(Commitment::epoch).ifPresent(PartitionEpoch::end);
                partition.become(new Stopped(Optional.empty(), stopped.reason()));
            } else {
                anew.add(partition.anew()); // what was seen of its log still holds
            }
        }
        beginAnewWith(anew);
    }

    /** Positions these anew: what was read of them and not saved is read again. */
    public void beginAnew(Collection<TopicPartition> partitions) {
        beginAnewWith(partitions.stream().map(AssignedPartition::new).toList());
    }

    /** The same, with what was seen of their logs. */
    public void beginAnewWith(List<AssignedPartition> fresh) {
        assignment.forget(fresh.stream().map(AssignedPartition::partition).toList());
        epochsEnded.run();
        beginWith(fresh);
    }

    /** The client can't go on where the partition is: takes it aside, and stops it. */
    public void stopAside(AssignedPartition partition, String reason) {
        setAside(partition);
        stop(partition, reason);
    }

    /**
     * Pauses the partition somewhere else than where it is. A pause alone is not enough: what the
     * client has fetched and can't read it would find again in every poll.
     */
    public void setAside(AssignedPartition partition) {
        consumer.pause(Set.of(partition.partition()));
        partition.holdNothing(); // it is read again from where the ledger stands
        long offset = nextOf(partition).map(NextOffset::offset).orElse(-1L);
        consumer.seek(partition.partition(), offset == 0 ? 1 : 0);
    }

    /** Undoes {@link #setAside}; who may fetch is worked out in the next turn. */
    public void takeBack(AssignedPartition partition) {
        Optional<OffsetAndMetadata> back =
                partition.found().flatMap(it -> nextOf(partition).map(next -> seekable(it, next)));
        back.ifPresent(it -> consumer.seek(partition.partition(), it));
    }

    private static Optional<NextOffset> nextOf(AssignedPartition partition) {
        return partition.commitment().map(it -> it.ledger().position());
    }

    /** The database has recorded that it is stopped: it goes on when an operator resumes it. */
    void stopUntilResumed(AssignedPartition partition, int source, String why) {
        if (!(partition.phase() instanceof Stopped)) {
            String name = partition.partition().topic() + "-" + partition.partition().partition();
            stop(partition, why + ". It stays so until: envelope partitions resume " + name);
            held.await(partition, source);
        }
    }

    private void resume(AssignedPartition partition) {
        log.info("{} is resumed: reading its position anew", partition.partition());
        beginAnew(Set.of(partition.partition()));
    }

    /** The partition does not go on without a person. */
    void stop(AssignedPartition partition, String reason) {
        if (partition.phase() instanceof Stopped) {
            return;
        }
        partition.become(new Stopped(partition.commitment(), reason));
        telemetry.stopped(partition.partition());
        log.error("{} is stopped: {}", partition.partition(), reason);
    }
}
