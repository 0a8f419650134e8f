package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.position.KafkaTopicAdmin;
import dev.envelope.core.position.PositionFinder;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.StartFrom;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.integration.cluster.Listeners.Member;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What operators, retention and producers do to a group's offsets. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class MovedOffsetsTest {

    private final LocalStack stack;

    MovedOffsetsTest(LocalStack stack) {
        this.stack = stack;
    }

    private static PositionPolicy policy(OffsetAhead ahead) {
        return new PositionPolicy(new StartFrom.Earliest(), ahead, Gap.STOP);
    }

    private static TopicPartition only(Listeners listeners) {
        return new TopicPartition(listeners.topic(), 0);
    }

    /** Thirty words are heard, and then the consumer ends. */
    private static void hearThirty(Listeners listeners, Speaker speaker) {
        Member member = listeners.start(policy(OffsetAhead.STOP));
        speaker.say("key", 3, 10);
        listeners.awaitHeard(speaker.said());
        member.close();
    }

    private void move(Listeners listeners, long offset) throws Exception {
        stack.topics()
                .admin()
                .alterConsumerGroupOffsets(
                        listeners.topic(), Map.of(only(listeners), new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    @Test
    @Tag("long")
    void offsetsThatExpiredAreFoundInTheDatabase() throws Exception {
        try (Listeners listeners = new Listeners(stack, "expired", 1);
                Speaker speaker = new Speaker(stack, "expired", Map.of())) {
            hearThirty(listeners, speaker);
            stack.topics()
                    .admin()
                    .deleteConsumerGroupOffsets("expired", Set.of(only(listeners)))
                    .all()
                    .get();
            speaker.say("key", 3, 5);
            Member member = listeners.start(policy(OffsetAhead.STOP));

            listeners.awaitHeard(speaker.said());
            assertThat(member.counts().duplicateMessages()).as("nothing is read again").isZero();
        }
    }

    @Test
    @Tag("long")
    void offsetsThatWereMovedBackCostWorkAndChangeNothing() throws Exception {
        try (Listeners listeners = new Listeners(stack, "back", 1);
                Speaker speaker = new Speaker(stack, "back", Map.of())) {
            hearThirty(listeners, speaker);
            move(listeners, 4);
            speaker.say("key", 3, 5);
            Member member = listeners.start(policy(OffsetAhead.STOP));

            listeners.awaitHeard(speaker.said());
            // Counted once the row is durable, which is when it can be seen.
            listeners.await(() -> member.counts().duplicateMessages() >= 26);
            assertThat(member.counts().duplicateMessages()).isEqualTo(26);
        }
    }

    @Test
    void offsetsThatWereMovedBackBelowTheStartBringNothingOfWhatIsThere() throws Exception {
        PositionPolicy latest =
                new PositionPolicy(new StartFrom.Latest(), OffsetAhead.STOP, Gap.STOP);
        try (Listeners listeners = new Listeners(stack, "below", 1);
                Speaker before = new Speaker(stack, "below", Map.of());
                Speaker after = new Speaker(stack, "below", Map.of())) {
            before.say("both", 1, 5);
            before.say("early", 1, 5);
            Member first = listeners.start(latest);
            listeners.await(() -> first.hasOneThat(it -> it.committed() == 10));
            after.say("both", 1, 5);
            listeners.awaitHeard(after.said());
            first.close();

            move(listeners, 2);
            Member again = listeners.start(latest);
            after.say("both", 1, 5);

            listeners.awaitHeard(after.said());
            listeners.await(() -> again.hasOneThat(it -> it.committed() == 20));
            assertThat(listeners.heard()).doesNotContainKey("early0");
        }
    }

    @Test
    void offsetsThatWereMovedAheadStopOrAreFollowedOrIgnored() throws Exception {
        try (Listeners listeners = new Listeners(stack, "ahead", 1);
                Speaker speaker = new Speaker(stack, "ahead", Map.of())) {
            hearThirty(listeners, speaker);
            speaker.say("skipped", 1, 10);
            move(listeners, 40);
            Member stopped = listeners.start(policy(OffsetAhead.STOP));
            listeners.await(() -> stopped.hasOneStoppedFor("on.offset.ahead=follow"));
            stopped.close();

            Member follower = listeners.start(policy(OffsetAhead.FOLLOW));
            speaker.say("later", 1, 10);
            listeners.await(() -> listeners.heard().containsKey("later0"));
            listeners.await(() -> follower.hasOneThat(it -> it.committed() == 50));
            follower.close();
            assertThat(listeners.heard()).doesNotContainKey("skipped0");
            assertThat(listeners.query("SELECT first_offset, last_offset, cause FROM %s.skipped"))
                    .containsExactly(List.of("30", "39", "operator"));

            speaker.say("last", 1, 10);
            move(listeners, 60);
            listeners.start(policy(OffsetAhead.REWIND));
            listeners.await(() -> listeners.heard().containsKey("last0"));
            assertThat(listeners.heard().get("last0")).isEqualTo(speaker.said().get("last0"));
        }
    }

    @Test
    @Tag("long")
    void latestIsWhereItWasWhenTheFirstInstanceLookedThoughItDiedRightAfter() {
        PositionPolicy latest =
                new PositionPolicy(new StartFrom.Latest(), OffsetAhead.STOP, Gap.STOP);
        try (Listeners listeners = new Listeners(stack, "latest", 2);
                Speaker before = new Speaker(stack, "latest", Map.of());
                Speaker after = new Speaker(stack, "latest", Map.of());
                PostgresStore store = listeners.openStore()) {
            before.say("before", 10, 2);
            new PositionFinder(
                            new KafkaTopicAdmin(stack.topics().admin(), "latest"),
                            store.checkpoints(),
                            latest)
                    .find(Set.of(only(listeners)));
            after.say("between", 10, 2);
            listeners.start(latest);
            after.say("after", 10, 2);

            listeners.awaitHeard(after.said());
        }
    }

    @Test
    @Tag("long")
    void behindAbortedTransactionsAndMarkersTheLagIsZeroAndTheCommitAtTheEnd() {
        try (Listeners listeners = new Listeners(stack, "aborted", 1);
                KafkaProducer<String, String> producer =
                        new KafkaProducer<>(
                                Map.of(
                                        "bootstrap.servers",
                                        stack.broker().bootstrapServers(),
                                        "transactional.id",
                                        "aborted"),
                                new StringSerializer(),
                                new StringSerializer())) {
            Member member = listeners.start(policy(OffsetAhead.STOP));
            producer.initTransactions();
            transaction(producer, "kept", true);
            transaction(producer, "taken-back", false);
            long end = 6 + 2;

            // The marker is written some time after the producer has heard that it will be.
            listeners.await(() -> end(listeners) == end);
            listeners.await(
                    () ->
                            member.partitions().stream()
                                    .anyMatch(it -> it.committed() == end && it.lag() == 0));
            assertThat(listeners.heard()).containsOnlyKeys("kept");
        }
    }

    private long end(Listeners listeners) {
        return stack.topics().endOffsets("aborted").getOrDefault(only(listeners), -1L);
    }

    private static void transaction(
            KafkaProducer<String, String> producer, String key, boolean commit) {
        producer.beginTransaction();
        for (int i = 0; i < 3; i++) {
            producer.send(new ProducerRecord<>("aborted", key, "{\"word\":\"" + i + "\"}"));
        }
        producer.flush();
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
    }
}
