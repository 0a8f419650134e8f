package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import dev.envelope.core.position.StartFrom;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.store.reply.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/**
 * What stands in the configuration that all processes of a seed start with. The operator changes it
 * and has them started again.
 *
 * <p>Threads: immutable.
 *
 * @param commandsHaveIds whether commands have an event id; else their answers alone tell that they
 *     come again
 */
record SimSettings(
        RowKeys.Scope scope,
        PositionPolicy positions,
        FailurePolicy.Last onFailure,
        boolean commandsHaveIds) {

    /** Longer than producers take to learn of partitions that were added. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    static SimSettings draw(RandomGenerator random) {
        PositionPolicy positions =
                new PositionPolicy(
                                startFrom(random),
                                OffsetAhead.STOP,
                                random.nextBoolean() ? Gap.STOP : Gap.EARLIEST)
                        .with(random.nextBoolean() ? TopicRecreated.STOP : TopicRecreated.CONTINUE)
                        .withGrace(GRACE);
        return new SimSettings(
                random.nextBoolean() ? RowKeys.Scope.APPLICATION : RowKeys.Scope.TOPIC,
                positions,
                onFailure(random),
                random.nextBoolean());
    }

    /** Half of the seeds begin in the middle of what is there. */
    private static StartFrom startFrom(RandomGenerator random) {
        return switch (random.nextInt(6)) {
            case 0 -> new StartFrom.Latest();
            case 1 -> new StartFrom.Committed();
            case 2 ->
                    new StartFrom.Time(
                            Instant.ofEpochMilli(
                                    Producers.BEGINNING_MILLIS + random.nextInt(1_500)));
            default -> new StartFrom.Earliest();
        };
    }

    private static FailurePolicy.Last onFailure(RandomGenerator random) {
        return switch (random.nextInt(5)) {
            case 0 -> FailurePolicy.Last.STOP;
            case 1, 2 -> FailurePolicy.Last.DEAD_LETTER;
            default -> FailurePolicy.Last.PARK;
        };
    }

    SimSettings with(Gap gap) {
        return with(policy(positions.onOffsetAhead(), gap));
    }

    SimSettings with(OffsetAhead ahead) {
        return with(policy(ahead, positions.onGap()));
    }

    private PositionPolicy policy(OffsetAhead ahead, Gap gap) {
        return new PositionPolicy(
                positions.startFrom(),
                ahead,
                gap,
                positions.onTopicRecreated(),
                positions.onLogTruncated(),
                positions.partitionGrace());
    }

    SimSettings with(LogTruncated truncated) {
        return with(positions.with(truncated));
    }

    SimSettings with(TopicRecreated recreated) {
        return with(positions.with(recreated));
    }

    private SimSettings with(PositionPolicy other) {
        return new SimSettings(scope, other, onFailure, commandsHaveIds);
    }

    SimSettings with(FailurePolicy.Last last) {
        return new SimSettings(scope, positions, last, commandsHaveIds);
    }

    /** The event ids of messages. */
    MessageIds ids() {
        MessageIds ids = new HeaderIds(SimRecord.ID_HEADER);
        return commandsHaveIds
                ? ids
                : message -> Reply.command(message) == null ? ids.find(message) : null;
    }

    /** The row that a record of this topic and key belongs to. */
    String rowKey(String topic, String key) {
        return scope == RowKeys.Scope.TOPIC ? topic + '/' + key : key;
    }
}
