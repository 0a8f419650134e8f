package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.fetch.RowKeys;
import dev.envelope.core.offset.PositionPolicy;
import dev.envelope.core.offset.PositionPolicy.Gap;
import dev.envelope.core.offset.PositionPolicy.OffsetAhead;
import dev.envelope.core.offset.PositionPolicy.TopicRecreated;
import dev.envelope.core.offset.StartFrom;
import java.util.random.RandomGenerator;

/**
 * What stands in the configuration that all processes of a seed start with. The operator changes it
 * and has them started again.
 *
 * <p>Threads: immutable.
 */
record SimSettings(RowKeys.Scope scope, PositionPolicy positions, FailurePolicy.Last onFailure) {

    static SimSettings draw(RandomGenerator random) {
        PositionPolicy positions =
                new PositionPolicy(
                        new StartFrom.Earliest(),
                        OffsetAhead.STOP,
                        random.nextBoolean() ? Gap.STOP : Gap.EARLIEST,
                        random.nextBoolean() ? TopicRecreated.STOP : TopicRecreated.CONTINUE);
        return new SimSettings(
                random.nextBoolean() ? RowKeys.Scope.APPLICATION : RowKeys.Scope.TOPIC,
                positions,
                random.nextInt(4) == 0 ? FailurePolicy.Last.STOP : FailurePolicy.Last.PARK);
    }

    SimSettings with(Gap gap) {
        return with(
                new PositionPolicy(
                        positions.startFrom(),
                        positions.onOffsetAhead(),
                        gap,
                        positions.onTopicRecreated()));
    }

    SimSettings with(OffsetAhead ahead) {
        return with(
                new PositionPolicy(
                        positions.startFrom(),
                        ahead,
                        positions.onGap(),
                        positions.onTopicRecreated()));
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
