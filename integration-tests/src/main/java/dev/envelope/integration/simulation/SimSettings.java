package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.fetch.RowKeys;
import dev.envelope.core.offset.PositionPolicy;
import dev.envelope.core.offset.PositionPolicy.Gap;
import dev.envelope.core.offset.PositionPolicy.OffsetAhead;
import dev.envelope.core.offset.PositionPolicy.TopicRecreated;
import dev.envelope.core.offset.StartFrom;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * What stands in the configuration that all processes of a seed start with. The operator changes it
 * and has them started again.
 *
 * <p>Threads: immutable.
 */
record SimSettings(RowKeys.Scope scope, PositionPolicy positions, FailurePolicy.Last onFailure) {

    /** Longer than producers take to learn of partitions that were added. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    static SimSettings draw(RandomGenerator random) {
        PositionPolicy positions =
                policy(
                        OffsetAhead.STOP,
                        random.nextBoolean() ? Gap.STOP : Gap.EARLIEST,
                        random.nextBoolean() ? TopicRecreated.STOP : TopicRecreated.CONTINUE);
        return new SimSettings(
                random.nextBoolean() ? RowKeys.Scope.APPLICATION : RowKeys.Scope.TOPIC,
                positions,
                random.nextInt(4) == 0 ? FailurePolicy.Last.STOP : FailurePolicy.Last.PARK);
    }

    private static PositionPolicy policy(OffsetAhead ahead, Gap gap, TopicRecreated recreated) {
        return new PositionPolicy(new StartFrom.Earliest(), ahead, gap)
                .with(recreated)
                .withGrace(GRACE);
    }

    SimSettings with(Gap gap) {
        return with(policy(positions.onOffsetAhead(), gap, positions.onTopicRecreated()));
    }

    SimSettings with(OffsetAhead ahead) {
        return with(policy(ahead, positions.onGap(), positions.onTopicRecreated()));
    }

    SimSettings with(TopicRecreated recreated) {
        return with(positions.with(recreated));
    }

    private SimSettings with(PositionPolicy other) {
        return new SimSettings(scope, other, onFailure);
    }

    SimSettings with(FailurePolicy.Last last) {
        return new SimSettings(scope, positions, last);
    }

    /** The row that a record of this topic and key belongs to. */
    String rowKey(String topic, String key) {
        return scope == RowKeys.Scope.TOPIC ? topic + '/' + key : key;
    }
}
