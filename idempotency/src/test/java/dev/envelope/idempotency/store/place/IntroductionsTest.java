package dev.envelope.idempotency.store.place;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.InMemoryDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IntroductionsTest {

    private static final NextOffset START = new NextOffset(10, 1);
    private static final NextOffset DURABLE = new NextOffset(40, 1);

    private final PlacesInMemory memory = new PlacesInMemory();
    private long now;
    private final DividedStore store =
            new DividedStore(PlacesInMemory.DIVISION, memory.all(), () -> now);
    private int source;

    @BeforeEach
    void oneSource() {
        TopicPartition partition = new TopicPartition("t", 0);
        source =
                store.checkpoints()
                        .introduce(List.of(new NewSource(partition, new Uuid(1, 1), START)))
                        .sources()
                        .get(0)
                        .number();
        store.checkpoints().save(Map.of(source, DURABLE), store.checkpoints().incarnation());
        store.checkpoints().read(Set.of("t"));
    }

    private static String keyOf(int slot) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "key-" + i)
                .filter(key -> PlacesInMemory.DIVISION.slotOf(key) == slot)
                .findFirst()
                .orElseThrow();
    }

    /** What becomes of a message of a key in that slot. */
    private @Nullable Outcome admitted(int slot) {
        return admitted(slot, epoch());
    }

    private PartitionEpoch epoch() {
        return Records.epochAgain(1, source, store.checkpoints().incarnation(), DURABLE);
    }

    private @Nullable Outcome admitted(int slot, PartitionEpoch epoch) {
        String key = keyOf(slot);
        Message message = Records.message(epoch, 50, key, "value");
        int place = PlacesInMemory.DIVISION.placeOf(slot);
        return store.shelves().get(place).admission().apply(Envelope.of(key, List.of(message)));
    }

    private @Nullable NextOffset checkpoint(int slot) {
        InMemoryDatabase database = memory.databases().get(slot);
        return database.sources().stream().map(Source::checkpoint).findAny().orElse(null);
    }

    private void assertWaits(@Nullable Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Waiting.class);
        assertThat(((Outcome.Waiting) requireNonNull(outcome)).why()).isEqualTo(Doing.NEW_TO_SLOT);
    }

    @Test
    void aSlotIsToldOfASourceBeforeItsFirstRow() {
        assertThat(checkpoint(2)).isNull();

        assertThat(admitted(2)).isNull();

        assertThat(checkpoint(2)).isEqualTo(DURABLE);
        assertThat(store.home().sources().fed()).isEqualTo(Map.of(source, Set.of(2)));
        assertThat(checkpoint(3)).isNull();
    }

    @Test
    void whileASlotCanNotBeToldItsKeysWaitAndNobodyIsAskedAgainForASecond() {
        memory.away().add(2);
        assertWaits(admitted(2));
        memory.away().clear();
        assertWaits(admitted(3)); // at the same place

        now += Duration.ofSeconds(1).toNanos();

        assertThat(admitted(3)).isNull();
        assertThat(admitted(2)).isNull();
    }

    @Test
    void aPlaceThatIsAwayKeepsNoOtherFromBeingTold() {
        memory.away().add(2);
        assertWaits(admitted(2));

        assertThat(admitted(1)).isNull();
        assertThat(admitted(0)).isNull();
    }

    /** Its number is that of another partition by now, whose records there are not done. */
    @Test
    void anEpochWhoseSourceWasLostIntroducesNoOther() {
        PartitionEpoch other =
                Records.epochAgain(1, source + 1, store.checkpoints().incarnation(), DURABLE);
        TopicPartition third = new TopicPartition("t", 2);
        store.checkpoints().introduce(List.of(new NewSource(third, new Uuid(1, 1), START)));

        assertWaits(admitted(2, other));

        assertThat(checkpoint(2)).isNull();
    }

    /** Positions were looked for meanwhile, when the slot was not known to be fed. */
    @Test
    void aSlotThatGoesBackWhileItIsToldIsToldAgain() {
        InMemoryDatabase.Backup before = memory.databases().get(2).backup();
        PartitionEpoch epoch = epoch();
        memory.whenAsked(2, () -> memory.whenAsked(0, () -> goesBack(before)));

        assertThat(admitted(2, epoch)).isNull();

        assertThat(checkpoint(2)).isEqualTo(DURABLE);
        assertThat(store.home().sources().fed()).isEqualTo(Map.of(source, Set.of(2)));
    }

    private void goesBack(InMemoryDatabase.Backup to) {
        memory.databases().get(2).restore(to);
        memory.databases().get(3).restart(); // at the same place
        store.checkpoints().read(Set.of("t"));
    }

    @Test
    void whatIsKnownNeedsNobody() {
        assertThat(admitted(1)).isNull();
        memory.away().addAll(Set.of(0, 2));

        assertThat(admitted(1)).isNull();
    }
}
