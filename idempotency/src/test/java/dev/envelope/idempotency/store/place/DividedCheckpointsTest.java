package dev.envelope.idempotency.store.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch.Durable;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemorySourceCopies;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class DividedCheckpointsTest extends DividedSituation {

    @Test
    void aPartitionGoesOnAtTheLowestOfTheSlotsThatItFeeds() {
        introduce(first, 1, START);
        introduce(first, 3, START);
        raise(0, first, 99);
        raise(1, first, 50);
        raise(3, first, 40);

        assertThat(checkpoint(0)).isEqualTo(40);
        checkpoints = process();
        assertThat(checkpoint(0)).isEqualTo(40);
        raise(1, first, 200);
        raise(3, first, 200);
        assertThat(checkpoint(0)).isEqualTo(99); // home has one of each source
    }

    @Test
    void forEachRowItIsKnownHowFarItsSlotIs() {
        introduce(first, 1, START);
        introduce(first, 3, START);
        raise(0, first, 99);
        raise(1, first, 50);
        raise(3, first, 40);

        Durable durable = find(checkpoints.read(Set.of("orders")), 0).durable();

        assertThat(durable.highest()).isEqualTo(at(99));
        assertThat(durable.of(keyIn(0))).isEqualTo(at(99));
        assertThat(durable.of(keyIn(1))).isEqualTo(at(50));
        assertThat(durable.of(keyIn(2))).as("it does not feed that one").isEqualTo(at(40));
        assertThat(durable.of(keyIn(3))).isEqualTo(at(40));
        assertThat(find(checkpoints.read(Set.of("orders")), 1).durable())
                .isEqualTo(Durable.everywhere(START));
    }

    private static String keyIn(int slot) {
        return IntStream.range(0, 1_000)
                .mapToObj(number -> "k" + number)
                .filter(key -> PlacesInMemory.DIVISION.slotOf(key) == slot)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void beforeASourceFeedsAnySlotItsHomeSaysHowFarItIs() {
        assertThat(checkpoint(0)).isEqualTo(10);

        assertThat(checkpoints.save(Map.of(first, at(30)), life())).containsExactly(first);

        assertThat(checkpoint(0)).isEqualTo(30);
        assertThat(inSlot(1, first)).isEqualTo(-1);
    }

    @Test
    void aSaveIsDoneInAllSlotsThatASourceFeedsAndAtHome() {
        introduce(first, 1, START);
        introduce(first, 2, START);
        introduce(second, 2, START);

        assertThat(checkpoints.save(Map.of(first, at(30), second, at(40)), life()))
                .containsExactlyInAnyOrder(first, second);

        assertThat(inSlot(0, first)).isEqualTo(30);
        assertThat(inSlot(1, first)).isEqualTo(30);
        assertThat(inSlot(2, first)).isEqualTo(30);
        assertThat(inSlot(1, second)).isEqualTo(-1);
        assertThat(inSlot(2, second)).isEqualTo(40);
    }

    @Test
    void whileAPlaceIsAwayOnlyWhatFeedsItIsNotSavedAndItsPositionUnknown() {
        introduce(first, 1, START);
        introduce(first, 2, START);
        introduce(second, 1, START);
        Incarnation life = life();
        away.add(2);

        assertThat(checkpoints.save(Map.of(first, at(30), second, at(40)), life))
                .containsExactly(second);
        Bearings bearings = checkpoints.read(Set.of("orders"));

        assertThat(bearings.unknown()).containsOnlyKeys(first);
        assertThat(bearings.unknown().get(first)).contains("place c is away");
        assertThat(find(bearings, 1).checkpoint()).isEqualTo(at(40));
        assertThatThrownBy(() -> checkpoints.save(Map.of(first, at(31)), life))
                .isInstanceOf(UnavailableException.class);

        away.clear();
        pass();
        assertThat(checkpoints.save(Map.of(first, at(31)), life)).containsExactly(first);
        assertThat(checkpoints.read(Set.of("orders")).unknown()).isEmpty();
    }

    /** Otherwise it would stay behind, and with it all that looks how far a partition is. */
    @Test
    void whatIsNotSavedAtHomeIsSavedAgain() {
        introduce(first, 1, START);
        Incarnation life = life();
        away.add(0);
        assertThatThrownBy(() -> checkpoints.save(Map.of(first, at(30)), life))
                .isInstanceOf(UnavailableException.class);

        away.clear();
        pass();

        assertThat(checkpoints.save(Map.of(first, at(30)), life)).containsExactly(first);
        assertThat(checkpoint(0)).isEqualTo(30);
    }

    /** Whoever told it has told its home behind that, when positions had been looked for. */
    @Test
    void aSlotThatHasLostASourceAndIsTakenToKnowItIsToldOfItAgainOnceItsCheckpointIsRefused() {
        Incarnation life = life();
        new InMemorySourceCopies(databases.get(0)).feeds(first, 1);
        fed.read();

        assertThatThrownBy(() -> checkpoints.save(Map.of(first, at(30)), life))
                .isInstanceOf(OtherIncarnationException.class);

        assertThat(checkpoint(0)).isEqualTo(10);
        assertThat(checkpoints.save(Map.of(first, at(30)), life)).containsExactly(first);
        assertThat(inSlot(1, first)).isEqualTo(30);
    }

    @Test
    void withoutTheFirstSlotNothingIsKnown() {
        away.add(0);

        assertThatThrownBy(() -> checkpoints.read(Set.of("orders")))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("place a is away");
    }

    @Test
    void aSlotThatHasLostASourceReadsAllOfItAgain() {
        InMemoryDatabase.Backup before = databases.get(1).backup();
        introduce(first, 1, START);
        introduce(first, 2, START);
        checkpoints.save(Map.of(first, at(30)), life());

        databases.get(1).restore(before);
        checkpoints = process();

        assertThat(checkpoint(0)).isEqualTo(10);
        assertThat(inSlot(1, first)).isEqualTo(10);
        assertThat(inSlot(2, first)).isEqualTo(30);
    }

    /** It has waited while another worker told the slot, and has the checkpoint of later. */
    @Test
    void whoWouldTellASlotWhatItHasBeenToldTellsItOfNoLaterCheckpoint() {
        InMemoryDatabase.Backup before = databases.get(1).backup();
        TopicPartition partition = new TopicPartition("orders", 0);
        checkpoints.read(Set.of("orders"));
        fed.introduce(first, partition, 1);
        checkpoints.save(Map.of(first, at(30)), life());
        databases.get(1).restore(before);

        fed.introduce(first, partition, 1);

        assertThat(inSlot(1, first)).isEqualTo(-1);
        assertThat(checkpoint(0)).isEqualTo(10);
    }

    /** Otherwise the partition would go on behind what the slot has lost. */
    @Test
    void aSlotThatIsToldAndGoesBackWhileHomeIsReadReadsAllOfItAgain() {
        InMemoryDatabase.Backup before = databases.get(1).backup();
        checkpoints = process();
        Runnable between =
                () -> {
                    byAnother(first, 1);
                    raise(0, first, 60);
                    databases.get(1).restore(before);
                };
        memory.whenAsked(0, () -> memory.whenAsked(0, between));

        assertThat(checkpoint(0)).isEqualTo(10);
    }

    @Test
    void aSlotThatIsToldOfASourceWhileAllAreReadHasNotLostIt() {
        introduce(first, 3, at(40));
        raise(0, first, 40);
        memory.whenAsked(2, () -> introduce(first, 1, at(40)));

        assertThat(checkpoint(0)).isEqualTo(40);
    }

    /** Nobody knows any more that the slot was fed. */
    @Test
    void whatASlotAndTheHomeHaveBothLostIsReadAgain() {
        InMemoryDatabase.Backup home = databases.get(0).backup();
        InMemoryDatabase.Backup slot = databases.get(1).backup();
        introduce(first, 1, START);
        introduce(first, 2, START);
        checkpoints.save(Map.of(first, at(30)), life());

        databases.get(0).restore(home);
        databases.get(1).restore(slot);
        checkpoints = process();

        assertThat(checkpoint(0)).isEqualTo(10);
    }

    @Test
    void aHomeThatHasForgottenWhatASourceFeedsIsToldByTheSlotAndBeginsWhereItIs() {
        InMemoryDatabase.Backup before = databases.get(0).backup();
        introduce(first, 1, START);
        raise(1, first, 30);

        databases.get(0).restore(before);
        checkpoints = process();

        assertThat(checkpoint(0)).isEqualTo(10);
        assertThat(new InMemorySourceCopies(databases.get(0)).fed()).containsOnlyKeys(first);
    }

    @Test
    void aHomeThatHasLostASourceGivesItsNumberToNoOther() {
        InMemoryDatabase empty = new InMemoryDatabase();
        introduce(second, 3, START);
        raise(3, second, 30);
        databases.get(0).restore(empty.backup());
        checkpoints = process();

        Bearings bearings = checkpoints.introduce(List.of(source(0), source(1)));

        assertThat(find(bearings, 1).number()).isEqualTo(second);
        assertThat(find(bearings, 1).checkpoint()).isEqualTo(START);
        assertThat(find(bearings, 0).number()).isGreaterThan(second);
    }

    /** Otherwise its messages would be judged by the marks of the source before it. */
    @Test
    void aHomeThatHasLostASourceIsToldOfItBeforeAnythingIsReadByIt() {
        InMemoryDatabase.Backup before = databases.get(0).backup();
        introduce(second, 3, START);
        int third = addedAfter(before);
        checkpoints = process();

        Bearings bearings = checkpoints.read(Set.of("orders"));

        assertThat(find(bearings, 2).number()).isEqualTo(third);
    }

    /** Only the third partition was introduced since: home forgets it, and a slot does not. */
    private int addedAfter(InMemoryDatabase.Backup before) {
        int third = find(checkpoints.introduce(List.of(source(2))), 2).number();
        fed.introduce(third, source(2).partition(), 3, START);
        databases.get(0).restore(before);
        return third;
    }

    @Test
    void aNumberThatASlotHasOfAnotherPartitionIsNotReadByItsCheckpoint() {
        InMemoryDatabase empty = new InMemoryDatabase();
        introduce(first, 1, START);
        InMemoryDatabase.Backup knows = databases.get(1).backup();
        databases.get(0).restore(empty.backup());
        databases.get(1).restore(empty.backup());
        checkpoints = process();
        int again = find(checkpoints.introduce(List.of(source(1))), 1).number();
        assertThat(again).isEqualTo(first);

        databases.get(1).restore(knows);
        checkpoints = process();

        assertThat(checkpoints.read(Set.of("orders")).unknown().get(first))
                .contains("gave the number to");
    }

    @Test
    void whenAnyPlaceIsInAnotherLifeAllAre() {
        Incarnation life = life();
        assertThat(checkpoints.incarnation()).isEqualTo(life);

        away.add(1);
        assertThat(checkpoints.incarnation()).isEqualTo(life); // as it was seen last

        databases.get(2).restart();
        databases.get(3).restart();
        assertThat(checkpoints.incarnation()).isNotEqualTo(life);
        introduce(first, 2, START);
        assertThatThrownBy(() -> checkpoints.save(Map.of(first, at(30)), life))
                .isInstanceOf(OtherIncarnationException.class);
    }

    /** Otherwise nobody would find that what was read of it is not true any more. */
    @Test
    void whatIsReadIsOfTheLivesThatItWasReadIn() {
        introduce(first, 1, START);
        InMemoryDatabase.Backup before = databases.get(1).backup();
        checkpoints.save(Map.of(first, at(30)), life());
        memory.whenAsked(
                2,
                () -> {
                    databases.get(1).restore(before);
                    var unused = checkpoints.incarnation(); // as the heartbeat asks it
                });

        Bearings bearings = checkpoints.read(Set.of("orders"));

        assertThat(find(bearings, 0).checkpoint()).isEqualTo(at(30));
        assertThat(bearings.incarnation()).isNotEqualTo(checkpoints.incarnation());
    }

    /** Otherwise what is there would wait for as long as there is anything to save elsewhere. */
    @Test
    void whoAnswersForTheFirstTimeIsFoundWhileOthersAreSaved() {
        away.add(2);
        checkpoints = process();
        Incarnation life = life();
        assertThat(checkpoints.save(Map.of(first, at(30)), life)).containsExactly(first);

        away.clear();
        pass();

        assertThatThrownBy(() -> checkpoints.save(Map.of(first, at(31)), life))
                .isInstanceOf(OtherIncarnationException.class);
        assertThat(checkpoints.save(Map.of(first, at(31)), life())).containsExactly(first);
    }

    @Test
    void whileAllPlacesAreAwayNoLifeIsKnown() {
        away.addAll(Set.of(0, 1, 2));

        assertThatThrownBy(() -> checkpoints.incarnation())
                .isInstanceOf(UnavailableException.class);
    }

    @Test
    void whatIsLeftOutIsLeftOutInAllSlotsThatTheSourceFeeds() {
        introduce(first, 1, START);
        introduce(first, 3, START);

        checkpoints.skip(first, List.of(new Skip(Skip.Cause.GAP, 10, 60)), life());

        assertThat(inSlot(0, first)).isEqualTo(60);
        assertThat(inSlot(1, first)).isEqualTo(60);
        assertThat(inSlot(3, first)).isEqualTo(60);
        assertThat(checkpoint(0)).isEqualTo(60);
    }
}
