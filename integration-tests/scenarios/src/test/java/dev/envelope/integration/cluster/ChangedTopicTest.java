package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import dev.envelope.core.position.StartFrom;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.integration.cluster.Listeners.Member;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Topics that are changed under who reads them: made again, cut off at the front, grown. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class ChangedTopicTest {

    private static final PositionPolicy STOP =
            new PositionPolicy(new StartFrom.Earliest(), OffsetAhead.STOP, Gap.STOP);

    /** Brokers and topics come and go quickly here. */
    private static final Map<String, Object> QUICK = Map.of("metadata.max.age.ms", 500);

    private final LocalStack stack;

    ChangedTopicTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void allOfATopicThatIsMadeAgainUnderLoadIsAppliedOnceWhereThatIsThePolicy() {
        try (Listeners listeners = new Listeners(stack, "again-continue", 4);
                Speaker before = new Speaker(stack, "again-continue", Map.of())) {
            listeners.start(STOP.with(TopicRecreated.CONTINUE), QUICK);
            before.say("old", 20, 30);
            listeners.awaitHeard(before.said());
            before.say("old", 20, 30); // some of it will be gone
            stack.topics().delete("again-continue");
            stack.topics().create("again-continue", 4);
            try (Speaker after = new Speaker(stack, "again-continue", QUICK)) {
                after.talk("new", 20, Duration.ofMillis(50));
                listeners.await(() -> listeners.heard().containsKey("new7"));
                after.beSilent();

                listeners.await(() -> news(listeners).equals(after.said()));
            }
            listeners.heard().entrySet().stream()
                    .filter(row -> row.getKey().startsWith("old"))
                    .forEach(
                            row ->
                                    assertThat(before.said().get(row.getKey()))
                                            .startsWith(row.getValue().toArray(String[]::new)));
        }
    }

    private static Map<String, List<String>> news(Listeners listeners) {
        Map<String, List<String>> news = new TreeMap<>(listeners.heard());
        news.keySet().removeIf(key -> key.startsWith("old"));
        return news;
    }

    @Test
    void aTopicThatIsMadeAgainStopsLoudlyByDefault() {
        try (Listeners listeners = new Listeners(stack, "again-stop", 2);
                Speaker before = new Speaker(stack, "again-stop", Map.of())) {
            Member member = listeners.start(STOP, QUICK);
            before.say("old", 10, 10);
            listeners.awaitHeard(before.said());
            stack.topics().delete("again-stop");
            stack.topics().create("again-stop", 2);
            try (Speaker after = new Speaker(stack, "again-stop", QUICK)) {
                after.say("new", 10, 3);
                listeners.await(
                        () ->
                                member.partitions().size() == 2
                                        && member.partitions().stream()
                                                .allMatch(PartitionStatus::stopped));
            }

            assertThat(member.partitions())
                    .allSatisfy(
                            it ->
                                    assertThat(it.pausedBecause())
                                            .contains("applied of the former: 100")
                                            .contains("on.topic.recreated=continue"));
            assertThat(listeners.heard()).isEqualTo(before.said());
        }
    }

    @Test
    void theSameLogInAnotherClusterIsAdoptedAndNothingIsAppliedTwice() {
        try (Listeners listeners = new Listeners(stack, "again-adopt", 2);
                Speaker speaker = new Speaker(stack, "again-adopt", QUICK)) {
            Member member = listeners.start(STOP);
            speaker.say("key", 10, 20);
            listeners.awaitHeard(speaker.said());
            member.close();
            stack.topics().delete("again-adopt");
            stack.topics().create("again-adopt", 2);
            speaker.forget();
            speaker.say("key", 10, 20); // the same records at the same offsets
            listeners.start(STOP.with(TopicRecreated.ADOPT));
            speaker.say("key", 10, 5);

            listeners.awaitHeard(speaker.said());
            assertThat(listeners.query("SELECT count(*), count(DISTINCT topic_id) FROM %s.source"))
                    .containsExactly(List.of("2", "1"));
        }
    }

    @Test
    void aGapThatIsAcceptedIsCountedAndRecordedAsItIs() throws Exception {
        TopicPartition only = new TopicPartition("gap", 0);
        try (Listeners listeners = new Listeners(stack, "gap", 1);
                Speaker speaker = new Speaker(stack, "gap", Map.of())) {
            Member first = listeners.start(STOP);
            speaker.say("heard", 1, 30);
            listeners.awaitHeard(speaker.said());
            first.close();
            speaker.forget();
            speaker.say("gone", 1, 25);
            stack.topics()
                    .admin()
                    .deleteRecords(Map.of(only, RecordsToDelete.beforeOffset(55)))
                    .all()
                    .get();
            speaker.say("kept", 1, 10);
            Member stopped = listeners.start(STOP);
            listeners.await(() -> stopped.hasOneStoppedFor("offsets 30 to 54"));
            listeners.await(() -> stopped.hasOneStoppedFor("on.gap=earliest"));
            stopped.close();

            Member second =
                    listeners.start(
                            new PositionPolicy(
                                    new StartFrom.Earliest(), OffsetAhead.STOP, Gap.EARLIEST));
            listeners.await(() -> listeners.heard().containsKey("kept0"));
            listeners.await(() -> second.hasOneThat(it -> it.committed() == 65));

            assertThat(second.counts().goneRecords()).isEqualTo(25);
            listeners.await(
                    () -> second.hasOneThat(it -> it.skipped().contains("offsets 30 to 54")));
            second.close();
            Member third = listeners.start(STOP);
            listeners.await(() -> third.hasOneThat(it -> it.lag() == 0));
            assertThat(third.counts().goneRecords()).as("counted once").isZero();
            assertThat(listeners.query("SELECT first_offset, last_offset, cause FROM %s.skipped"))
                    .containsExactly(List.of("30", "54", "gap"));
            assertThat(listeners.heard()).doesNotContainKey("gone0");
        }
    }

    @Tag("long")
    @Test
    void keysKeepTheirOrderWhilePartitionsAreAddedAndInstancesComeAndGo() {
        PositionPolicy grace = STOP.withGrace(Duration.ofSeconds(12));
        try (Listeners listeners = new Listeners(stack, "grown", 4);
                Speaker late = new Speaker(stack, "grown", Map.of("metadata.max.age.ms", 4_000))) {
            Member first = listeners.start(grace, QUICK);
            Member second = listeners.start(grace, QUICK);
            late.talk("key", 60, Duration.ofMillis(20));
            listeners.await(() -> listeners.heard().size() == 60);
            stack.topics().grow("grown", 12);
            listeners.await(() -> hasHeld(first) || hasHeld(second));
            first.close(); // in the middle of it
            listeners.await(() -> second.partitions().size() == 12 && hasHeld(second));
            listeners.start(grace, QUICK);
            listeners.await(() -> isSettled(listeners));
            late.beSilent();

            listeners.awaitHeard(late.said());
        }
    }

    private static boolean hasHeld(Member member) {
        return member.partitions().stream()
                .anyMatch(it -> it.pausedBecause().contains(" held until "));
    }

    private static boolean isSettled(Listeners listeners) {
        return listeners
                .query("SELECT count(*) FROM %s.source WHERE growth = 1 AND settled_at IS NOT NULL")
                .equals(List.of(List.of("8")));
    }
}
