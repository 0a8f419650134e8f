package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.EnvelopeConsumer.State;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.StartFrom;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.integration.cluster.Listeners.Member;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that come and go all the time. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class RebalanceStormTest {

    private static final PositionPolicy POLICY =
            new PositionPolicy(new StartFrom.Earliest(), OffsetAhead.STOP, Gap.STOP);
    private static final int CHANGES = 6;

    private final LocalStack stack;

    RebalanceStormTest(LocalStack stack) {
        this.stack = stack;
    }

    /** Properties of the n-th member under one of the ways in which a group can be run. */
    private static Map<String, Object> client(String way, int member) {
        Map<String, Object> client = new HashMap<>();
        client.put("group.protocol", way.equals("consumer") ? "consumer" : "classic");
        if (way.equals("eager")) {
            client.put("partition.assignment.strategy", RangeAssignor.class.getName());
        } else if (way.equals("static")) {
            client.put("group.instance.id", "seat-" + member);
        }
        if (!way.equals("consumer")) {
            client.put("session.timeout.ms", 3_000);
            client.put("heartbeat.interval.ms", 300);
        }
        return client;
    }

    @ParameterizedTest
    @ValueSource(strings = {"eager", "consumer"})
    void progressGoesOnAndNoPartitionStaysPaused(String way) {
        storm(way);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"cooperative", "static"})
    void withOtherAssignorsAndNamesToo(String way) {
        storm(way);
    }

    private void storm(String way) {
        String topic = "storm-" + way;
        try (Listeners listeners = new Listeners(stack, topic, 6);
                Speaker speaker = new Speaker(stack, topic, Map.of())) {
            Member one = listeners.start(POLICY, client(way, 1));
            speaker.talk("key", 40, Duration.ofMillis(20));
            Member other = listeners.start(POLICY, client(way, 2));
            for (int change = 0; change < CHANGES; change++) {
                Member leaving = change % 2 == 0 ? one : other;
                long before = System.nanoTime();
                assertThat(leaving.consumer().close(Duration.ofSeconds(10))).isTrue();
                leaving.store().close();
                assertThat(Duration.ofNanos(System.nanoTime() - before))
                        .as("the drain is bounded")
                        .isLessThan(Duration.ofSeconds(30));
                int seat = change % 2 == 0 ? 1 : 2;
                Member coming = listeners.start(POLICY, client(way, seat));
                long heard = words(listeners);
                listeners.await(() -> words(listeners) > heard);
                one = seat == 1 ? coming : one;
                other = seat == 2 ? coming : other;
            }
            Member first = one;
            Member second = other;
            listeners.await(() -> flowing(first) + flowing(second) == 6);
            speaker.beSilent();

            listeners.awaitHeard(speaker.said());
            listeners.await(() -> first.consumer().state() == State.RUNNING);
            listeners.await(() -> second.consumer().state() == State.RUNNING);
        }
    }

    private static long words(Listeners listeners) {
        return Long.parseLong(
                listeners
                        .query(
                                "SELECT coalesce(sum(json_array_length(state->'words')), 0) FROM %s.state")
                        .get(0)
                        .get(0));
    }

    private static long flowing(Member member) {
        return member.partitions().stream()
                .map(PartitionStatus::pausedBecause)
                .filter(String::isEmpty)
                .count();
    }

    @Test
    void aSecondMemberOfTheSameStaticIdFencesTheFirstWhichFailsAndSaysWhy() {
        try (Listeners listeners = new Listeners(stack, "seat", 2);
                Speaker speaker = new Speaker(stack, "seat", Map.of())) {
            Member first = listeners.start(POLICY, client("static", 1));
            listeners.await(() -> first.partitions().size() == 2);
            Member second = listeners.start(POLICY, client("static", 1));
            listeners.await(() -> first.consumer().state() == State.FAILED);
            speaker.say("key", 5, 5);

            listeners.awaitHeard(speaker.said());
            assertThat(first.consumer().fault()).isInstanceOf(FencedInstanceIdException.class);
            listeners.await(() -> second.consumer().state() == State.RUNNING);
        }
    }
}
