package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Skip;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store of checkpoints owes its callers. */
public abstract class CheckpointsContract {

    private static final Uuid FIRST = new Uuid(1, 1);
    private static final Uuid SECOND = new Uuid(-2, 2);

    private StoreFixture fixture;
    private Checkpoints checkpoints;

    /** A store without a source. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        fixture = open();
        checkpoints = fixture.checkpoints();
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    @Test
    void aTopicThatWasNeverSeenHasNoSources() {
        Checkpoints.Bearings bearings = checkpoints.read(Set.of("orders"));

        assertThat(bearings.sources()).isEmpty();
        assertThat(bearings.incarnation()).isEqualTo(checkpoints.incarnation());
        assertThat(checkpoints.read(Set.of()).sources()).isEmpty();
    }

    @Test
    void whatOperatorsHoldBackIsToldUntilTheyResumeIt() {
        checkpoints.introduce(List.of(source("orders", 3, FIRST, 40)));
        assertThat(checkpoints.pauses()).isEqualTo(Pauses.NONE);

        assertThat(fixture.pause(Kind.KEY, "a b", Optional.empty())).isTrue();
        assertThat(fixture.pause(Kind.KEY, "a b", Optional.of(Duration.ofHours(2)))).isTrue();
        assertThat(fixture.pause(Kind.PARTITION, "orders-3", Optional.empty())).isTrue();
        assertThat(fixture.pause(Kind.PARTITION, "orders-4", Optional.empty())).isFalse();

        Pauses held = checkpoints.pauses();
        assertThat(held.keys()).containsExactly("a b");
        assertThat(held.partitions()).containsExactly(new TopicPartition("orders", 3));
        assertThat(held.all())
                .extracting(it -> it.kind() + " " + it.by() + " " + (it.until() == null))
                .containsExactlyInAnyOrder("KEY me false", "PARTITION me true");

        assertThat(fixture.resume(Kind.KEY, "a b")).isTrue();
        assertThat(fixture.resume(Kind.KEY, "a b")).isFalse();
        assertThat(checkpoints.pauses().keys()).isEmpty();
    }

    @Test
    void aSourceBeginsAtItsStart() {
        checkpoints.introduce(List.of(source("orders", 3, FIRST, 40)));
        List<Source> sources =
                checkpoints.introduce(List.of(source("other", 0, SECOND, 0))).sources();

        assertThat(sources)
                .extracting(source -> source.partition().topic())
                .containsExactly("other");
        Source orders = only(checkpoints.read(Set.of("orders")).sources());
        assertThat(orders.partition()).isEqualTo(new TopicPartition("orders", 3));
        assertThat(orders.topicId()).isEqualTo(FIRST);
        assertThat(orders.generation()).isZero();
        assertThat(orders.start()).isEqualTo(new NextOffset(40, 2));
        assertThat(orders.checkpoint()).isEqualTo(new NextOffset(40, 2));
        assertThat(orders.number()).isNotEqualTo(only(sources).number());
        assertThat(checkpoints.read(Set.of("orders", "other", "third")).sources()).hasSize(2);
    }

    @Test
    void theCheckpointOfASourceThatIsNotThereIsRefused() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();
        Map<Integer, NextOffset> with =
                Map.of(number, new NextOffset(50, 2), number + 1, new NextOffset(50, 2));

        assertThatThrownBy(() -> checkpoints.save(with, checkpoints.incarnation()))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("no longer knows");
    }

    @Test
    void theFirstDecidesWhereASourceBegins() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();
        checkpoints.save(Map.of(number, new NextOffset(50, 2)), checkpoints.incarnation());

        List<Source> after =
                checkpoints
                        .introduce(
                                List.of(
                                        source("orders", 1, FIRST, 70),
                                        source("orders", 0, FIRST, 60)))
                        .sources();

        assertThat(after).hasSize(2);
        Source first =
                after.stream()
                        .filter(source -> source.number() == number)
                        .findFirst()
                        .orElseThrow();
        assertThat(first.start().offset()).isEqualTo(40);
        assertThat(first.checkpoint().offset()).isEqualTo(50);
    }

    @Test
    void ofTwoThatStartTogetherOneDecidesAboutAllPartitions() throws InterruptedException {
        List<NewSource> mine =
                IntStream.range(0, 50).mapToObj(i -> source("orders", i, FIRST, 1)).toList();
        List<NewSource> theirs =
                new ArrayList<>(
                        IntStream.range(0, 50)
                                .mapToObj(i -> source("orders", i, FIRST, 2))
                                .toList());
        Collections.reverse(theirs);
        Thread other = new Thread(() -> checkpoints.introduce(theirs));
        other.start();
        List<Source> seen = checkpoints.introduce(mine).sources();
        other.join();

        List<Source> after = checkpoints.read(Set.of("orders")).sources();
        assertThat(after).hasSize(50).containsExactlyInAnyOrderElementsOf(seen);
        assertThat(after.stream().map(source -> source.start().offset()).distinct()).hasSize(1);
        assertThat(after.stream().map(Source::number).distinct()).hasSize(50);
    }

    @Test
    void aTopicThatWasMadeAnewHasSourcesOfItsOwn() {
        checkpoints.introduce(List.of(source("orders", 0, FIRST, 40)));

        List<Source> sources =
                checkpoints.introduce(List.of(madeAnew("orders", 0, SECOND, FIRST))).sources();

        assertThat(sources).extracting(Source::topicId).containsExactlyInAnyOrder(FIRST, SECOND);
    }

    @Test
    void whatWasFoundOfAFormerTopicIsNotRecordedOnceThereIsAnother() {
        checkpoints.introduce(List.of(source("orders", 0, SECOND, 0)));

        assertThat(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                .extracting(Source::topicId)
                .containsExactly(SECOND);

        Uuid third = new Uuid(3, 3);
        checkpoints.introduce(List.of(madeAnew("orders", 0, third, SECOND)));
        assertThat(checkpoints.introduce(List.of(madeAnew("orders", 0, FIRST, SECOND))).sources())
                .extracting(Source::topicId)
                .containsExactlyInAnyOrder(SECOND, third);
    }

    @Test
    void ofTwoThatSawDifferentTopicsOfANameTheFirstDecides() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            String topic = "orders-" + round;
            Uuid mine = new Uuid(round, 1);
            Uuid theirs = new Uuid(round, 2);
            Thread other =
                    new Thread(() -> checkpoints.introduce(List.of(source(topic, 0, theirs, 0))));
            other.start();
            List<Source> seen = checkpoints.introduce(List.of(source(topic, 0, mine, 0))).sources();
            other.join();

            assertThat(checkpoints.read(Set.of(topic)).sources())
                    .hasSize(1)
                    .containsExactlyElementsOf(seen);
        }
    }

    @Test
    void anAdoptedTopicKeepsItsSourcesUnderItsNewId() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();
        checkpoints.introduce(List.of(source("other", 0, SECOND, 0)));
        Uuid third = new Uuid(3, 3);

        Source adopted = only(checkpoints.adopt("orders", FIRST, third).sources());

        assertThat(adopted.number()).isEqualTo(number);
        assertThat(adopted.topicId()).isEqualTo(third);
        assertThat(adopted.checkpoint().offset()).isEqualTo(40);
        assertThat(only(checkpoints.adopt("orders", FIRST, SECOND).sources()).topicId())
                .as("another instance has done it")
                .isEqualTo(third);
        assertThat(only(checkpoints.read(Set.of("other")).sources()).topicId()).isEqualTo(SECOND);
    }

    @Test
    void whatIsLeftOutIsRecordedOnceAndTheCheckpointStandsBehindIt() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();
        Incarnation now = checkpoints.incarnation();
        Skip followed = new Skip(Skip.Cause.OPERATOR, 40, 50);
        Skip gap = new Skip(Skip.Cause.GAP, 50, 70);

        checkpoints.skip(number, List.of(followed, gap), now);
        checkpoints.skip(number, List.of(gap), now);

        assertThat(checkpoint()).isEqualTo(new NextOffset(70, NextOffset.NO_EPOCH));
        assertThat(fixture.skipped())
                .containsExactlyInAnyOrder(number + " 40 49 operator", number + " 50 69 gap");
        assertThatThrownBy(
                        () ->
                                checkpoints.skip(
                                        number,
                                        List.of(new Skip(Skip.Cause.GAP, 70, 90)),
                                        new Incarnation("another")))
                .isInstanceOf(OtherIncarnationException.class);
        assertThat(fixture.skipped()).hasSize(2);
    }

    @Test
    void aLaterGenerationOfAnAddedPartitionIsAsSettledAsTheFormerWas() {
        TopicPartition added = new TopicPartition("orders", 0);
        TopicPartition young = new TopicPartition("orders", 1);
        NextOffset cut = new NextOffset(40, 2);
        checkpoints.introduce(List.of(new NewSource(young, FIRST, 0, cut, 1, Set.of(FIRST))));
        checkpoints.introduce(List.of(new NewSource(added, FIRST, 0, cut, 1, Set.of(FIRST))));
        checkpoints.read(Set.of("orders")).sources().stream()
                .filter(it -> it.partition().equals(added))
                .forEach(it -> checkpoints.settle(it.number()));

        List<Source> later =
                checkpoints
                        .introduce(
                                List.of(
                                        new NewSource(added, FIRST, 1, cut, 1, Set.of(FIRST)),
                                        new NewSource(young, FIRST, 1, cut, 1, Set.of(FIRST))))
                        .sources()
                        .stream()
                        .filter(it -> it.generation() == 1)
                        .toList();

        assertThat(later)
                .hasSize(2)
                .allSatisfy(
                        it ->
                                assertThat(it.growth().settled())
                                        .isEqualTo(it.partition().equals(added)));
    }

    @Test
    void offsetsThatAreLeftOutLaterFromTheSamePlaceOnAreOnRecordAsFarAsTheyGo() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();
        Incarnation now = checkpoints.incarnation();

        checkpoints.skip(number, List.of(new Skip(Skip.Cause.GAP, 40, 50)), now);
        checkpoints.skip(number, List.of(new Skip(Skip.Cause.GAP, 40, 70)), now);
        checkpoints.skip(number, List.of(new Skip(Skip.Cause.GAP, 40, 60)), now);

        assertThat(fixture.skipped()).containsExactly(number + " 40 69 gap");
    }

    @Test
    void aCheckpointOnlyGrows() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();
        Incarnation now = checkpoints.incarnation();

        checkpoints.save(Map.of(number, new NextOffset(50, 3)), now);
        checkpoints.save(Map.of(number, new NextOffset(45, 9)), now);
        assertThat(checkpoint()).isEqualTo(new NextOffset(50, 3));

        checkpoints.save(Map.of(number, new NextOffset(50, 2)), now);
        assertThat(checkpoint()).isEqualTo(new NextOffset(50, 3));

        checkpoints.save(Map.of(number, new NextOffset(50, 4)), now);
        assertThat(checkpoint()).isEqualTo(new NextOffset(50, 4));

        checkpoints.save(Map.of(number, new NextOffset(51, NextOffset.NO_EPOCH)), now);
        assertThat(checkpoint()).isEqualTo(new NextOffset(51, NextOffset.NO_EPOCH));
        checkpoints.save(Map.of(), now);
    }

    @Test
    void noCheckpointIsSavedInAnotherIncarnation() {
        int number =
                only(checkpoints.introduce(List.of(source("orders", 0, FIRST, 40))).sources())
                        .number();

        assertThatThrownBy(
                        () ->
                                checkpoints.save(
                                        Map.of(number, new NextOffset(50, 3)),
                                        new Incarnation("another")))
                .isInstanceOf(OtherIncarnationException.class);
        assertThat(checkpoint()).isEqualTo(new NextOffset(40, 2));
    }

    private NextOffset checkpoint() {
        return only(checkpoints.read(Set.of("orders")).sources()).checkpoint();
    }

    private static NewSource madeAnew(String topic, int partition, Uuid id, Uuid former) {
        return new NewSource(
                new TopicPartition(topic, partition),
                id,
                0,
                new NextOffset(0, 2),
                0,
                Set.of(former));
    }

    private static NewSource source(String topic, int partition, Uuid topicId, long start) {
        return new NewSource(
                new TopicPartition(topic, partition), topicId, new NextOffset(start, 2));
    }

    private static Source only(List<Source> sources) {
        assertThat(sources).hasSize(1);
        return sources.get(0);
    }
}
