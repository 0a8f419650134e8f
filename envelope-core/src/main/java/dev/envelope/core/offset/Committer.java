package dev.envelope.core.offset;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down how far the partitions have come: first the checkpoint in the database, then the
 * commit in Kafka. In the background at an interval; at once, within a deadline, when a partition
 * is given up.
 *
 * <p>Threads: poll thread only. The database is asked in the background and answers by an errand.
 */
public final class Committer {

    /** Told when the database is found in another life than the epochs were positioned in. */
    @FunctionalInterface
    public interface OtherLife {
        void found();
    }

    private static final Logger log = LoggerFactory.getLogger(Committer.class);
    private static final String SAVING = "saving checkpoints";

    private final Consumer<?, ?> consumer;
    private final Checkpoints checkpoints;
    private final Environment environment;
    private final Background background;
    private final Duration interval;
    private final OtherLife otherLife;
    private final Telemetry telemetry;
    private final Outage outage = new Outage(log, SAVING);
    private final Uncommitted uncommitted;
    private long nextAt;
    private boolean underWay; // one round at a time, from its checkpoint to the commit's reply (I9)

    public Committer(
            Consumer<?, ?> consumer,
            Checkpoints checkpoints,
            Environment environment,
            Background background,
            Duration interval,
            OtherLife otherLife,
            Telemetry telemetry) {
        this.consumer = consumer;
        this.checkpoints = checkpoints;
        this.environment = environment;
        this.background = background;
        this.interval = interval;
        this.otherLife = otherLife;
        this.telemetry = telemetry;
        this.uncommitted = new Uncommitted(environment.ticker());
        this.nextAt = environment.ticker().nanoTime() + interval.toNanos();
    }

    /** Whether the database answered last time. */
    public boolean isStoreReachable() {
        return !outage.isOn();
    }

    /** Since when Kafka takes no commit, and why; empty where it does. */
    public String notCommitted() {
        return uncommitted.inWords();
    }

    /** Has the next round begin as soon as the last has ended, unless the database is away. */
    public void hurry() {
        if (isStoreReachable()) {
            nextAt = environment.ticker().nanoTime();
        }
    }

    /** Begins a round when the interval is over and the last round has ended. */
    public void turn(Collection<Commitment> open) {
        long now = environment.ticker().nanoTime();
        if (underWay || now < nextAt) {
            return;
        }
        nextAt = now + interval.toNanos();
        Round round = new Round(open);
        if (round.isEmpty()) {
            uncommitted.done(); // what could not be is committed, or of others by now
            lookForOtherLife(open);
            return;
        }
        underWay = true;
        if (checkpoints.areCommits()) { // no database is asked
            checkpointed(round.checkpoint());
            return;
        }
        background.ask(
                SAVING,
                round::checkpoint,
                this::checkpointed,
                unavailable -> notCheckpointed(unavailable, round.isOver()));
    }

    private void notCheckpointed(UnavailableException why, boolean isOver) {
        underWay = false;
        failed(why, isOver);
    }

    private void checkpointed(Round round) {
        outage.over();
        round.checkpointed();
        Map<TopicPartition, OffsetAndMetadata> offsets = round.offsets();
        if (offsets.isEmpty()) {
            underWay = false;
            return;
        }
        consumer.commitAsync(
                offsets,
                (committed, problem) -> {
                    underWay = false;
                    if (problem == null) {
                        committed(round);
                    } else {
                        // The next round commits what is true by then.
                        log.debug("commit failed: {}", problem.getMessage());
                        if (problem instanceof OffsetMetadataTooLarge) {
                            round.next.keySet().forEach(Commitment::remembersLess);
                        }
                        uncommitted.failed(problem);
                    }
                });
    }

    private void committed(Round round) {
        uncommitted.done();
        round.committed();
        telemetry.committed(round.next.size());
    }

    /**
     * Checkpoints and commits these now, and waits for both, but not beyond the deadline. Without a
     * confirmed checkpoint there is no commit.
     *
     * @param look called between the two: ends the epochs of what was lost meanwhile
     */
    public void commitNow(Collection<Commitment> leaving, long deadline, Runnable look) {
        Round round = new Round(leaving);
        if (round.isEmpty()) {
            return;
        }
        List<@Nullable RuntimeException> answer = new ArrayList<>(1);
        Runnable saving = saving(round, answer);
        if (checkpoints.areCommits()) {
            saving.run();
        } else {
            environment.background().execute(saving);
        }
        while (isEmpty(answer)) {
            long left = deadline - environment.ticker().nanoTime();
            if (left <= 0) {
                log.warn("no checkpoint within the deadline; {} not committed", round);
                return;
            }
            environment.parker().park(left);
        }
        @Nullable RuntimeException failure = answer.get(0);
        if (failure != null) {
            failed(failure, round.isOver());
            return;
        }
        look.run();
        round.checkpointed();
        Map<TopicPartition, OffsetAndMetadata> offsets = round.offsets();
        if (offsets.isEmpty()) {
            return;
        }
        long left = Math.max(deadline - environment.ticker().nanoTime(), 1_000_000);
        try {
            consumer.commitSync(offsets, Duration.ofNanos(left));
            committed(round);
        } catch (KafkaException e) {
            log.info("{} not committed: {}; it will be read again", round, e.getMessage());
        }
    }

    private Runnable saving(Round round, List<@Nullable RuntimeException> answer) {
        return () -> {
            @Nullable RuntimeException failure = null;
            try {
                round.checkpoint();
            } catch (RuntimeException e) {
                failure = e;
            } catch (Error e) {
                failure = new InvariantViolation(SAVING + " broke off", e);
            }
            synchronized (answer) {
                answer.add(failure);
            }
            environment.parker().unpark();
        };
    }

    private static boolean isEmpty(List<?> answer) {
        synchronized (answer) {
            return answer.isEmpty();
        }
    }

    /**
     * With nothing to save, the heartbeat is what notices that the database was replaced, and,
     * where no partition is left, that it answers again.
     */
    private void lookForOtherLife(Collection<Commitment> open) {
        if (checkpoints.areCommits()) {
            return; // there is no database
        }
        List<Commitment> asked = List.copyOf(open);
        List<Incarnation> lives =
                asked.stream().map(it -> it.epoch().incarnation()).distinct().toList();
        if (lives.isEmpty() && isStoreReachable()) {
            return;
        }
        underWay = true;
        background.ask(
                "the heartbeat",
                () -> inLifeOf(lives),
                life -> {
                    underWay = false;
                    outage.over();
                },
                unavailable -> notCheckpointed(unavailable, areOver(asked)));
    }

    /** Background: the present life of the database, which has to be that of all epochs, if any. */
    private Incarnation inLifeOf(List<Incarnation> lives) {
        Incarnation now = checkpoints.incarnation();
        if (!lives.isEmpty() && !lives.equals(List.of(now))) {
            throw new OtherIncarnationException(lives.get(0), now);
        }
        return now;
    }

    private static boolean areOver(Collection<Commitment> asked) {
        return asked.stream().allMatch(it -> it.epoch().isOver());
    }

    /**
     * @param isOver whether all that was asked for is of epochs that are over: the present ones may
     *     have been positioned in the other life already (I6)
     */
    private void failed(RuntimeException failure, boolean isOver) {
        if (!(failure instanceof UnavailableException)) {
            throw failure;
        }
        outage.failed(failure);
        if (failure instanceof OtherIncarnationException) {
            outage.over(); // it answers, from another life
            if (!isOver) {
                otherLife.found();
            }
        }
    }

    /** What one round writes down: how far each partition had come when it began. */
    private final class Round {

        private final Map<Commitment, NextOffset> next = new LinkedHashMap<>(); // poll thread only
        private final Map<Incarnation, Set<Integer>> saved = new HashMap<>(); // handed over

        Round(Collection<Commitment> open) {
            for (Commitment commitment : open) {
                if (!commitment.epoch().isOver() && commitment.hasNews()) {
                    next.put(commitment, commitment.ledger().committable());
                }
            }
        }

        boolean isEmpty() {
            return next.isEmpty();
        }

        boolean isOver() {
            return areOver(next.keySet());
        }

        /** Background: all of one life in one transaction, and what can be saved of each. */
        Round checkpoint() {
            Map<Incarnation, Map<Integer, NextOffset>> byLife = new HashMap<>();
            next.forEach(
                    (commitment, offset) ->
                            byLife.computeIfAbsent(
                                            commitment.epoch().incarnation(),
                                            life -> new HashMap<>())
                                    .put(commitment.epoch().source(), offset));
            @Nullable UnavailableException away = null;
            for (Map.Entry<Incarnation, Map<Integer, NextOffset>> of : byLife.entrySet()) {
                try {
                    saved.put(of.getKey(), checkpoints.save(of.getValue(), of.getKey()));
                } catch (OtherIncarnationException e) {
                    throw e;
                } catch (UnavailableException e) {
                    away = e;
                }
            }
            if (saved.isEmpty() && away != null) {
                throw away;
            }
            return this;
        }

        /** What could not be saved is left to a later round. */
        void checkpointed() {
            next.keySet().removeIf(it -> it.epoch().isOver() || !isSaved(it.epoch()));
            next.forEach(Commitment::checkpointed);
        }

        private boolean isSaved(PartitionEpoch epoch) {
            return saved.getOrDefault(epoch.incarnation(), Set.of()).contains(epoch.source());
        }

        Map<TopicPartition, OffsetAndMetadata> offsets() {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            next.forEach(
                    (commitment, offset) ->
                            offsets.put(
                                    commitment.epoch().partition(), commitment.stamped(offset)));
            return offsets;
        }

        void committed() {
            next.forEach(Commitment::committed);
        }

        @Override
        public String toString() {
            return next.keySet().stream().map(it -> it.epoch().partition()).toList().toString();
        }
    }
}
