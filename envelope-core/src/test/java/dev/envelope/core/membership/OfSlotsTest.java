package dev.envelope.core.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.background.Background;
import dev.envelope.core.position.PositionFinder;
import dev.envelope.core.testkit.FakeCheckpoints;
import dev.envelope.core.testkit.InMemoryCluster;
import dev.envelope.core.testkit.InMemoryTopicAdmin;
import dev.envelope.core.testkit.ManualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OfSlotsTest {

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final ManualEnvironment environment = new ManualEnvironment();
    private final MockConsumer<byte @Nullable [], byte @Nullable []> client =
            new MockConsumer<>("none");
    private final SomeSlots slots = new SomeSlots();
    private final List<String> told = new ArrayList<>();
    private final InMemoryTopicAdmin admin = new InMemoryTopicAdmin(cluster);
    private final FakeCheckpoints checkpoints = new FakeCheckpoints();
    private final OfSlots membership =
            new OfSlots(
                    client,
                    slots,
                    admin,
                    new PositionFinder(
                            admin,
                            checkpoints,
                            ConsumerSettings.of("app", "none:1", Set.of("a")).positions()),
                    new Background(environment.environment(), Runnable::run),
                    environment.environment().parker());

    /** Four slots, of which it holds what the test says. */
    private static final class SomeSlots implements Slots {

        private Map<Integer, Long> held = Map.of();
        private int count = 4;
        private int partitions;
        private int timesTold;

        @Override
        public Held held() {
            return new Held(count, held, 1);
        }

        @Override
        public void isReading(int most) {
            partitions = most;
            timesTold++;
        }

        @Override
        public void onChange(Runnable changed) {
            // The test polls when something has changed.
        }
    }

    private final class Listener implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
            told.add("+" + names(assigned));
            assertThat(client.assignment()).containsAll(assigned);
            // As the engine does: a partition without a position lets every poll fail.
            assigned.forEach(it -> client.seek(it, 0));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
            told.add("-" + names(revoked));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> lost) {
            told.add("lost" + names(lost));
        }
    }

    private static String names(Collection<TopicPartition> partitions) {
        return partitions.stream()
                .map(TopicPartition::toString)
                .collect(Collectors.toCollection(TreeSet::new))
                .toString();
    }

    @BeforeEach
    void begin() {
        cluster.createTopic("a", 6);
        cluster.createTopic("b", 2);
        membership.begin(Set.of("a", "b"), new Listener());
        poll();
    }

    private void poll() {
        membership.poll(Duration.ofMillis(100));
        environment.runBackground();
        membership.poll(Duration.ofMillis(100));
    }

    @Test
    void withoutASlotItIsThereAndReadsNothing() {
        assertThat(told).containsExactly("+[]");
        assertThat(client.assignment()).isEmpty();
    }

    @Test
    void aSlotIsThePartitionsWithItsRemainderOfAllTopics() {
        slots.held = Map.of(1, 1L);
        poll();
        slots.held = Map.of(1, 1L, 2, 2L);
        poll();
        poll();

        assertThat(told).containsExactly("+[]", "+[a-1, a-5, b-1]", "+[a-2]");
        assertThat(names(client.assignment())).isEqualTo("[a-1, a-2, a-5, b-1]");
    }

    /** What a slot is has changed, too, where its number is the same. */
    @Test
    void whenThereAreMoreSlotsThePartitionsAreDividedAnew() {
        slots.held = Map.of(1, 1L);
        poll();
        slots.held = Map.of();
        slots.count = 3;
        poll();
        slots.held = Map.of(1, 2L);
        poll();

        assertThat(told)
                .containsExactly(
                        "+[]", "+[a-1, a-5, b-1]", "lost[a-1, a-5, b-1]", "+[a-1, a-4, b-1]");
    }

    /** Nothing would end a poll of the client, which it keeps for the commits' sake. */
    @Test
    void whoHasLostAllIsWokenWhenASlotComes() {
        slots.held = Map.of(2, 1L);
        poll();
        slots.held = Map.of();
        environment.whileParked(
                () -> {
                    slots.held = Map.of(1, 2L);
                    environment.environment().parker().unpark();
                });
        long begun = environment.nanoTime();
        membership.poll(Duration.ofMillis(100));
        membership.look();

        assertThat(told).endsWith("lost[a-2]", "+[a-1, a-5, b-1]");
        assertThat(environment.nanoTime()).isEqualTo(begun);
    }

    /** So that it is quick when its turn comes. */
    @Test
    void whileItWaitsItAsksWhatPositionsFollowFromAndChangesNothing() {
        int calls = checkpoints.calls();
        assertThat(calls).isPositive();
        environment.advance(Duration.ofSeconds(4));
        poll();
        assertThat(checkpoints.calls()).isEqualTo(2 * calls);
        assertThat(checkpoints.read(Set.of("a", "b")).sources()).isEmpty();

        slots.held = Map.of(1, 1L);
        poll();
        calls = checkpoints.calls();
        environment.advance(Duration.ofSeconds(4));
        poll();
        assertThat(checkpoints.calls()).isEqualTo(calls);
    }

    /** Others may have them already: it must not commit. */
    @Test
    void whatIsNotHeldAnyMoreIsLost() {
        slots.held = Map.of(1, 1L, 2, 2L);
        poll();
        slots.held = Map.of(2, 2L);
        poll();
        slots.held = Map.of();
        poll();

        assertThat(told).endsWith("lost[a-1, a-5, b-1]", "lost[a-2]");
        assertThat(names(client.paused())).isEqualTo("[a-2]");
        assertThat(client.assignment()).as("what it is polled with").isEqualTo(client.paused());

        slots.held = Map.of(1, 3L);
        poll();
        assertThat(told).endsWith("+[a-1, a-5, b-1]");
        assertThat(names(client.assignment())).isEqualTo("[a-1, a-5, b-1]");
    }

    /** Another process may have had it in between. */
    @Test
    void aSlotThatWasLostAndIsHeldAgainIsReadAnew() {
        slots.held = Map.of(2, 1L);
        poll();
        slots.held = Map.of(2, 2L);
        poll();

        assertThat(told).endsWith("lost[a-2]", "+[a-2]");
    }

    @Test
    void partitionsThatAreAddedComeByThemselves() {
        slots.held = Map.of(2, 1L);
        poll();
        cluster.growTopic("b", 4);
        environment.advance(Duration.ofSeconds(4));
        poll();

        assertThat(told).endsWith("+[b-2]");
    }

    /** A broker that has just come up may not know of a topic yet. */
    @Test
    void aTopicThatIsNotFoundOnceKeepsItsPartitions() {
        slots.held = Map.of(2, 1L);
        poll();
        int before = told.size();
        cluster.deleteTopic("a");
        environment.advance(Duration.ofSeconds(4));
        poll();
        assertThat(told).hasSize(before);

        environment.advance(Duration.ofSeconds(4));
        poll();
        assertThat(told).endsWith("lost[a-2]");
    }

    @Test
    void aBrokerThatDoesNotAnswerIsAskedAgain() {
        admin.unavailable("no broker");
        cluster.growTopic("b", 4);
        slots.held = Map.of(2, 1L);
        environment.advance(Duration.ofSeconds(4));
        poll();
        assertThat(told).endsWith("+[a-2]");

        admin.unavailable(null);
        environment.advance(Duration.ofSeconds(4));
        poll();
        assertThat(told).endsWith("+[b-2]");
    }

    /** Then it must not hold what others could read. */
    @Test
    void whileNoBrokerAnswersItIsNotSaidThatItReads() {
        assertThat(slots.partitions).as("the most that a topic has").isEqualTo(6);
        admin.unavailable("no broker");
        environment.advance(Duration.ofSeconds(4));
        poll();
        int before = slots.timesTold;
        poll();
        assertThat(slots.timesTold).isEqualTo(before);

        admin.unavailable(null);
        environment.advance(Duration.ofSeconds(4));
        poll();
        poll();
        assertThat(slots.timesTold).isGreaterThan(before);
    }
}
