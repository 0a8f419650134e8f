package dev.envelope.idempotency.store.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.place.KnownSources.Known;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.RowReads.Log;
import dev.envelope.idempotency.store.row.RowReads.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** What callers outside are told where rows are divided. */
class CallersStoreTest {

    private static final Uuid TOPIC = new Uuid(1, 1);
    private static final Uuid AGAIN = new Uuid(2, 2);
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
    private static final Log LOG = new Log(TOPIC, 0);
    private static final Set<String> ORDERS = Set.of("orders");
    private static final int SLOT = 2; // at the last place

    private final PlacesInMemory memory = new PlacesInMemory();
    private final Places places = new Places(PlacesInMemory.DIVISION, memory.all());
    private final FedSlots fed = newFed();
    private final CallersStore callers = new CallersStore(places, fed, this::now);
    private final String key = PlacesInMemory.keyIn(SLOT, "k");
    private final int source = introduce(TOPIC, 0);
    private long now;

    private long now() {
        return now;
    }

    private FedSlots newFed() {
        return new FedSlots(places, new Lives(places.names()));
    }

    private int introduce(Uuid topic, int generation) {
        return new InMemoryCheckpoints(memory.databases().get(0))
                        .introduce(
                                List.of(
                                        new NewSource(
                                                PARTITION,
                                                topic,
                                                generation,
                                                new NextOffset(0, 0),
                                                0,
                                                Set.of(TOPIC, AGAIN))))
                        .sources()
                        .stream()
                        .mapToInt(Source::number)
                        .max()
                        .orElseThrow();
    }

    private void raise(int slot, long to) {
        InMemoryDatabase its = memory.databases().get(slot);
        new InMemoryCheckpoints(its).save(Map.of(source, new NextOffset(to, 0)), its.incarnation());
    }

    private Known sources(int slot) {
        String any = PlacesInMemory.keyIn(slot, "k");
        int place = PlacesInMemory.DIVISION.placeOf(slot);
        return callers.places().get(place).ofKey().apply(any).sources().apply(ORDERS);
    }

    private Map<Log, Progress> progress() {
        return callers.places()
                .get(2)
                .ofKey()
                .apply(key)
                .rows()
                .read(Set.of(key), Set.of(LOG), 99)
                .logs();
    }

    @Test
    void aLogIsAsFarAsTheSlotSaysThatItFeeds() {
        fed.introduce(source, PARTITION, SLOT, new NextOffset(3, 0));
        raise(0, 50);
        callers.learn(ORDERS);

        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(source, 3, false)));
    }

    @Test
    void aLogThatDoesNotFeedTheSlotIsAsFarAsHomeSaidBeforeTheRowsWereRead() {
        assertThat(progress()).isEmpty();
        raise(0, 50);
        assertThat(progress()).isEmpty();
        callers.learn(ORDERS);
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(source, 50, false)));

        memory.whenAsked(
                2,
                () -> {
                    raise(0, 70);
                    callers.learn(ORDERS);
                });
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(source, 50, false)));
        memory.away().add(0);
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(source, 70, false)));
    }

    @Test
    void aSlotThatHasLostALogThatFeedsItKnowsNothingOfIt() {
        InMemoryDatabase.Backup before = memory.databases().get(SLOT).backup();
        fed.introduce(source, PARTITION, SLOT, new NextOffset(3, 0));
        raise(0, 50);
        memory.databases().get(SLOT).restore(before);

        CallersStore ofOther = new CallersStore(places, newFed(), this::now);
        ofOther.learn(ORDERS);
        assertThat(
                        ofOther.places()
                                .get(2)
                                .ofKey()
                                .apply(key)
                                .rows()
                                .read(Set.of(key), Set.of(LOG), 99)
                                .logs())
                .isEmpty();
    }

    @Test
    void aFormerGenerationOrTopicDoesNotPassForThePresentOne() {
        fed.introduce(source, PARTITION, SLOT, new NextOffset(3, 0));
        raise(SLOT, 90);
        int second = introduce(TOPIC, 1);
        callers.learn(ORDERS);
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(second, 0, false)));

        introduce(AGAIN, 0);
        callers.learn(ORDERS);
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(second, 0, true)));
    }

    @Test
    void aTopicThatWasMadeAgainIsKnownWhereItFeedsNothingYet() {
        fed.introduce(source, PARTITION, SLOT, new NextOffset(3, 0));
        introduce(AGAIN, 0);
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(source, 3, false)));
        callers.learn(ORDERS);
        assertThat(progress()).containsExactly(Map.entry(LOG, new Progress(source, 3, true)));
    }

    @Test
    void whatNumbersMeanIsKnownAtThePlaceThatHasThemInRows() {
        fed.introduce(source, PARTITION, SLOT, new NextOffset(3, 0));
        memory.away().add(0);
        Known here = sources(SLOT);
        assertThat(here.sources()).extracting(Source::number).containsExactly(source);
        assertThat(here.lacking()).isEqualTo("a");

        memory.away().clear();
        callers.learn(ORDERS);
        memory.away().add(0);
        assertThat(sources(SLOT).lacking()).isEmpty();
        assertThatThrownBy(() -> sources(0)).isInstanceOf(UnavailableException.class);
    }

    @Test
    void aPlaceThatIsAwayIsNotAskedByEachCaller() {
        memory.save(key, Marks.NONE.advance(source, new NextOffset(1, 0)));
        memory.away().add(2);
        assertThatThrownBy(this::progress).hasMessageContaining("place c is away");
        int asked = memory.asked();
        assertThatThrownBy(this::progress).hasMessageContaining("place c is away");
        assertThat(memory.asked()).isEqualTo(asked);
        assertThat(sources(1).sources()).isEmpty();

        memory.away().clear();
        now += Duration.ofSeconds(5).toNanos();
        assertThat(callers.places().get(2).ofKey().apply(key).rows().marks(Set.of(key)))
                .containsOnlyKeys(key);
    }

    @Test
    void answersAreFoundInTheSlotOfTheirKeys() {
        List<CommandId> commands =
                List.of(2, 3).stream()
                        .map(it -> new CommandId(PlacesInMemory.keyIn(it, "c"), "1"))
                        .toList();
        for (int slot : List.of(2, 3)) {
            memory.replies().get(slot).save(commands.get(slot - 2), answer(slot));
        }
        memory.replies().get(3).save(commands.get(0), answer(99)); // not its slot

        for (int slot : List.of(2, 3)) {
            CommandId id = commands.get(slot - 2);
            ReplyStore its = callers.places().get(2).ofKey().apply(id.key()).replies();
            assertThat(its.find(List.of(id))).isEqualTo(Map.of(id, answer(slot)));
            assertThat(its.forget(Duration.ZERO, 2)).isEqualTo(slot - 1);
        }
    }

    private static Answer answer(long offset) {
        return new Answer(Result.APPLIED, null, null, false, 1, "orders", 0, offset, Instant.EPOCH);
    }
}
