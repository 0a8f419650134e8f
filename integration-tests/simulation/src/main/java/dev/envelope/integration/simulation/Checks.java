package dev.envelope.integration.simulation;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What must hold, looked at whenever something becomes durable or is promised, and at the end.
 *
 * <p>Threads: one thread.
 */
final class Checks {

    private final RowChecks rows;
    private final ProgressChecks progress;
    private final FoldChecks folds;
    private final DrainChecks drains;
    private final EngineChecks engine;
    private final GrowthChecks growth;
    private final RepairChecks repairs;
    private final PauseChecks pauses;
    private final VersionChecks versions;
    private final OutboxChecks outbox;
    private final OutputChecks outputs;
    private final ReplyChecks replies;
    private final TimerChecks timers;
    private final ReadChecks reads;
    private final PurgeChecks purges;
    private final LockChecks locks;
    private final Doubts doubts;
    private @Nullable Violation violation;

    Checks(World world) {
        doubts = world.doubts();
        rows = new RowChecks(world);
        progress = new ProgressChecks(world);
        folds = new FoldChecks(world);
        drains = new DrainChecks(world);
        engine = new EngineChecks(world);
        growth = new GrowthChecks(world);
        repairs = new RepairChecks(world);
        pauses = new PauseChecks(world);
        versions = new VersionChecks(world);
        outbox = new OutboxChecks(world);
        outputs = new OutputChecks(world);
        replies = new ReplyChecks(world);
        timers = new TimerChecks(world);
        reads = new ReadChecks(world);
        purges = new PurgeChecks(world);
        locks = new LockChecks(world);
    }

    /** The first violation; the engine may have caught the throwable itself. */
    @Nullable Violation violation() {
        return violation;
    }

    void fail(String anomaly, String seen) {
        Violation found = new Violation(anomaly, seen);
        if (violation == null) {
            violation = found;
        }
        throw found;
    }

    /** What the Kafka client of a process is asked and told. */
    SimConsumer.Watch ofClient(SimInstance process) {
        return new SimConsumer.Watch() {

            @Override
            public void took(List<TopicPartition> assigned) {
                drains.took(process, assigned);
                pauses.took(process, assigned);
            }

            @Override
            public void gaveUp(List<TopicPartition> revoked, long nanos) {
                drains.gaveUp(process, revoked, nanos);
            }

            @Override
            public void fetched(TopicPartition partition) {
                pauses.fetched(process, partition);
                doubts.fetched(partition);
            }

            @Override
            public void commitBegins(Map<TopicPartition, OffsetAndMetadata> offsets) {
                progress.commitBegins(process, offsets);
            }

            @Override
            public void commitEnds() {
                progress.commitEnds(process);
            }

            @Override
            public void commits(TopicPartition partition, OffsetAndMetadata next) {
                progress.committed(process, partition, next);
            }
        };
    }

    RowChecks rows() {
        return rows;
    }

    ProgressChecks progress() {
        return progress;
    }

    FoldChecks folds() {
        return folds;
    }

    DrainChecks drains() {
        return drains;
    }

    GrowthChecks growth() {
        return growth;
    }

    RepairChecks repairs() {
        return repairs;
    }

    PauseChecks pauses() {
        return pauses;
    }

    VersionChecks versions() {
        return versions;
    }

    OutboxChecks outbox() {
        return outbox;
    }

    OutputChecks outputs() {
        return outputs;
    }

    ReplyChecks replies() {
        return replies;
    }

    TimerChecks timers() {
        return timers;
    }

    ReadChecks reads() {
        return reads;
    }

    PurgeChecks purges() {
        return purges;
    }

    LockChecks locks() {
        return locks;
    }

    EngineChecks engine() {
        return engine;
    }
}
