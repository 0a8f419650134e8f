package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of parked messages, and asks for. */
class ParkedCatalogTest {

    private final PostgresFixture fixture = new PostgresFixture();
    private final ParkedStore store = fixture.parkedStore();
    private final RequestStore asked = fixture.requests();
    private final Incarnation now = asked.incarnation();
    private final PartitionEpoch epoch = introduced();
    private final ParkedCatalog catalog =
            new PostgresParkedCatalog(OperatorConnection.open(fixture.settings()));
    private final RequestCatalog requests =
            new PostgresRequestCatalog(OperatorConnection.open(fixture.settings()));

    @AfterEach
    void close() {
        catalog.close();
        requests.close();
        fixture.close();
    }

    private PartitionEpoch introduced() {
        NewSource source =
                new NewSource(new TopicPartition("t", 0), new Uuid(1, 1), new NextOffset(0, 0));
        int number = fixture.checkpoints().introduce(List.of(source)).sources().get(0).number();
        return new PartitionEpoch(1, source.partition(), number, now);
    }

    private void park(String key, int first, int count) {
        save(List.of(parked(key, first, count)));
    }

    private void save(List<Change> changes) {
        assertThat(fixture.states().save(changes, Patience.WAIT, now)).doesNotContain(false);
    }

    private Change parked(String key, int first, int count) {
        List<ParkedMessage> messages =
                IntStream.range(first, first + count)
                        .mapToObj(
                                i ->
                                        new ParkedMessage(
                                                Records.message(epoch, i, 7, key, "value " + i),
                                                key,
                                                i == first ? "failed" : "behind",
                                                i == first ? "it is no number" : "",
                                                3))
                        .toList();
        Marks marks = Marks.NONE.advance(1, new NextOffset(first + count, 7));
        return new Change(key, 0, "{}".getBytes(StandardCharsets.UTF_8), marks, null, 0, messages);
    }

    private Snapshot row(String key) {
        return Objects.requireNonNull(fixture.states().load(List.of(key), now).get(key));
    }

    private void parkWithoutRow(int offset, String reason) {
        ParkedMessage message =
                new ParkedMessage(
                        Records.message(epoch, offset, 7, "?", "odd"), null, reason, "odd", 1);
        fixture.states()
                .save(List.of(Change.ofMessagesWithoutRow(List.of(message))), Patience.WAIT, now);
    }

    @Test
    void aKeyIsShownWithItsFirstMessageAndHowManyWait() {
        park("b", 10, 1);
        park("a", 0, 3);

        List<ParkedKey> keys = catalog.keys(null, 0, 10);

        assertThat(keys).extracting(ParkedKey::key).containsExactlyInAnyOrder("a", "b");
        ParkedKey a = keys.stream().filter(it -> it.key().equals("a")).findFirst().orElseThrow();
        assertThat(a.messages()).isEqualTo(3);
        assertThat(a.first()).contains("t").contains("0");
        assertThat(a.reason()).isEqualTo("failed");
        assertThat(a.error()).isEqualTo("it is no number");
        assertThat(a.attempts()).isEqualTo(3);
        assertThat(catalog.keys(null, 0, 1)).hasSize(1);
    }

    @Test
    void keysAreFoundByAReasonAndPageByPage() {
        park("a", 0, 3);
        park("b", 10, 1);
        park("c", 20, 1);

        List<ParkedKey> first = catalog.keys("failed", 0, 2);
        assertThat(first).extracting(ParkedKey::key).containsExactly("a", "b");
        assertThat(catalog.keys("failed", first.get(1).position(), 2))
                .extracting(ParkedKey::key)
                .containsExactly("c");
        assertThat(catalog.keys("behind", 0, 9)).extracting(ParkedKey::key).containsExactly("a");
        assertThat(catalog.keys("undecodable", 0, 2)).isEmpty();
        assertThat(catalog.reasons().withRow()).isEqualTo(Map.of("failed", 3L, "behind", 2L));
        assertThat(catalog.reasons().withoutRow()).isEmpty();
    }

    @Test
    void keysAreSelectedByWhatTheirFirstMessageIs() {
        park("a", 0, 3);
        park("b", 10, 1);
        save(IntStream.range(100, 1_200).mapToObj(i -> parked("many-" + i, i, 1)).toList());
        Instant future = Instant.now().plusSeconds(3_600);

        assertThat(selected(null, null, null, null)).hasSize(1_102).startsWith("a", "b");
        assertThat(selected("failed", "t-0", null, future)).hasSize(1_102);
        assertThat(selected("no number", null, null, null)).hasSize(1_102);
        assertThat(selected("behind", null, null, null)).isEmpty();
        assertThat(selected(null, "t-1", null, null)).isEmpty();
        assertThat(selected(null, null, future, null)).isEmpty();
        assertThat(catalog.countKeys()).isEqualTo(1_102);
    }

    private List<String> selected(
            @Nullable String why,
            @Nullable String partition,
            @Nullable Instant since,
            @Nullable Instant until) {
        return catalog
                .selected(
                        new ParkedCatalog.Selection(why, partition, since, until),
                        Integer.MAX_VALUE)
                .stream()
                .map(ParkedKey::key)
                .toList();
    }

    @Test
    void manyAnswersAreTakenAtOnce() {
        park("a", 0, 1);
        park("b", 10, 1);
        long first = requests.ask("a", Action.REDRIVE, "me").orElseThrow();
        long second = requests.ask("b", Action.DROP, "me").orElseThrow();
        assertThat(requests.answersTo(List.of(first, second))).isEmpty();

        Request taken = asked.take(Duration.ofMinutes(1)).orElseThrow();
        asked.answer(taken, "redrove 1", now);

        assertThat(requests.answersTo(List.of(first, second)))
                .isEqualTo(Map.of(taken.number(), "redrove 1"));
        try (KeyCatalog keys =
                new PostgresKeyCatalog(OperatorConnection.open(fixture.settings()))) {
            assertThat(keys.asked("a")).hasSize(1);
            assertThat(keys.asked("a").get(0).answer()).isEqualTo("redrove 1");
            assertThat(keys.asked("a").get(0).by()).isEqualTo("me");
            assertThat(keys.asked("b").get(0).done()).isNull();
            assertThat(keys.asked("c")).isEmpty();
        }
    }

    @Test
    void messagesComeInTheirOrderAndAllOfThemAreExported() {
        park("a", 0, 230);

        assertThat(catalog.messages("a", 0, 2))
                .extracting(it -> new String(it.value(), StandardCharsets.UTF_8))
                .containsExactly("value 0", "value 1");
        List<Entry> exported = new ArrayList<>();
        catalog.export("a", exported::add);

        assertThat(exported)
                .hasSize(230)
                .isSortedAccordingTo(
                        (one, other) -> Long.compare(one.position(), other.position()));
        assertThat(catalog.messages("b", 0, 2)).isEmpty();
    }

    @Test
    void ofLongValuesAndHeadersOnlyTheBeginningIsReadAndAllOfThemIsExported() {
        byte[] large = new byte[300_000];
        Message message =
                Records.withHeader(
                        Records.message(epoch, 0, "a", new String(large, StandardCharsets.UTF_8)),
                        "trace",
                        large);
        ParkedMessage parked = new ParkedMessage(message, "a", "failed", "why", 1);
        Change change = new Change("a", 0, null, Marks.NONE, null, 0, List.of(parked));
        fixture.states().save(List.of(change), Patience.WAIT, now);

        Entry cut = catalog.messages("a", 0, 9).get(0);
        assertThat(cut.value()).hasSize(ParkedCatalog.MOST_BYTES);
        assertThat(cut.valueBytes()).isEqualTo(300_000);
        assertThat(cut.headers().get(0).value()).hasSizeBetween(16_385, 16_400);

        List<Entry> exported = new ArrayList<>();
        catalog.export("a", exported::add);
        assertThat(exported.get(0).value()).hasSize(300_000);
        assertThat(exported.get(0).valueBytes()).isEqualTo(300_000);
        assertThat(exported.get(0).headers().get(0).value()).hasSize(300_000);
    }

    @Test
    void thoseWithoutARowAreCountedByReasonAndDeletedByTheirPositions() {
        park("a", 0, 1);
        parkWithoutRow(5, "null-key");
        parkWithoutRow(6, "key-nul");

        assertThat(catalog.reasons().withoutRow()).isEqualTo(Map.of("null-key", 1L, "key-nul", 1L));
        List<Long> all = catalog.messages(null, 0, 9).stream().map(Entry::position).toList();
        List<Long> odd = catalog.messagesWithoutRow(0, 9).stream().map(Entry::position).toList();
        assertThat(catalog.deleteWithoutRow(all, "me")).as("the key's own stays").isEqualTo(odd);

        assertThat(catalog.reasons().withoutRow()).isEmpty();
        assertThat(catalog.messages("a", 0, 9)).hasSize(1);
    }

    private String traces() {
        return fixture.server()
                .query(
                        "SELECT coalesce(string_agg(record_offset::text, ','), '') FROM %s.dropped"
                                .formatted(fixture.settings().schema()));
    }

    private void drop(int offset) {
        fixture.dropWithoutRow(epoch.source(), offset);
    }

    @Test
    void aDroppedMessageLeavesATraceUntilTheCheckpointHasPassedIt() {
        parkWithoutRow(5, "null-key");
        parkWithoutRow(7, "null-key");
        parkWithoutRow(9, "null-key");
        drop(5);
        assertThat(traces()).isEqualTo("5");
        fixture.checkpoints().save(Map.of(epoch.source(), new NextOffset(8, 7)), now);

        drop(7);
        assertThat(traces()).as("both are below the checkpoint").isEmpty();
        drop(9);
        assertThat(traces()).isEqualTo("9");
    }

    @Test
    void toDropIsAskedForWhatIsParkedNowAndToSkipForTheFirst() {
        park("a", 0, 3);
        requests.ask("a", Action.SKIP, "me");
        requests.ask("a", Action.DROP, "me");
        List<Long> all = store.first("a", 9).stream().map(ParkedStore.Parked::position).toList();

        Request skip = asked.take(Duration.ofMinutes(1)).orElseThrow();
        asked.answer(skip, "done", now);
        Request drop = asked.take(Duration.ofMinutes(1)).orElseThrow();

        assertThat(skip.position()).isEqualTo(all.get(0));
        assertThat(drop.position()).isEqualTo(all.get(2));
    }

    /** Whoever asks twice, since the first reply was lost, has seen one message only. */
    @Test
    void aSkipOfTheMessageThatWasSeenIsOfNoOther() {
        park("a", 0, 3);
        List<Long> all = store.first("a", 9).stream().map(ParkedStore.Parked::position).toList();

        assertThat(requests.ask("a", Action.SKIP, all.get(1), "me")).isEmpty();
        assertThat(requests.ask("nobody", Action.SKIP, all.get(0), "me")).isEmpty();
        assertThat(requests.ask("a", Action.SKIP, all.get(0), "me")).isPresent();

        Request skip = asked.take(Duration.ofMinutes(1)).orElseThrow();
        assertThat(skip.position()).isEqualTo(all.get(0));
    }

    @Test
    void toDropAQuarantinedKeyIsNotAskedForWhatIsParkedLater() {
        park("a", 0, 1);
        park("q", 10, 0);
        fixture.server()
                .execute(
                        "UPDATE %s.state SET parked = 1 WHERE key = 'q'"
                                .formatted(fixture.settings().schema()));

        assertThat(requests.ask("q", Action.DROP, "me")).isPresent();
        Request drop = asked.take(Duration.ofMinutes(1)).orElseThrow();

        long later = catalog.messages("a", 0, 1).get(0).position();
        assertThat(drop.position()).isNotNull().isLessThan(later);
    }

    @Test
    void aRequestIsAnsweredByWhoeverIsThere() {
        park("a", 0, 1);
        assertThat(requests.isAnybodyThere(Duration.ofMinutes(1))).isFalse();
        asked.seen();
        assertThat(requests.isAnybodyThere(Duration.ofMinutes(1))).isTrue();
        assertThat(requests.ask("nobody", Action.REDRIVE, "me")).isEmpty();
        long number = requests.ask("a", Action.SKIP, "me").orElseThrow();
        assertThat(requests.answerTo(number)).isEmpty();

        Request taken = asked.take(Duration.ofMinutes(1)).orElseThrow();
        assertThat(taken.key()).isEqualTo("a");
        asked.answer(taken, "done", asked.incarnation());

        assertThat(requests.answerTo(number)).contains("done");
    }

    @Test
    void whatIsParkedIsInReachThoughItsRowWasDeletedByHand() {
        park("a", 0, 2);
        fixture.server().execute("DELETE FROM " + fixture.settings().schema() + ".state");

        assertThat(requests.ask("a", Action.REDRIVE, "me")).isPresent();
        assertThat(requests.askToSet("a", "{}", 1L, "me")).as("not its version").isEmpty();
        assertThat(requests.askToSet("a", "{}", null, "me")).isPresent();
        assertThat(requests.askToDelete("a", null, "me")).isPresent();
        assertThat(requests.askToQuarantine("a", "me")).isPresent();

        assertThat(requests.askToDelete("nobody", null, "me")).isEmpty();
        assertThat(requests.askToQuarantine("nobody", "me")).isEmpty();
    }

    @Test
    void aRepairIsAskedForTheVersionThatIsThereAndItsStateIsForgottenWhenItIsDone() {
        park("a", 0, 1);
        assertThat(requests.askToSet("nobody", "{}", null, "me")).isEmpty();
        assertThat(requests.askToSet("a", "{}", 2L, "me")).as("not its version").isEmpty();
        long number = requests.askToSet("a", "{\"n\":9}", null, "me").orElseThrow();
        assertThat(requests.askToDelete("a", null, "me")).contains(number + 1);

        Request set = asked.take(Duration.ofMinutes(1)).orElseThrow();
        assertThat(set).isEqualTo(new Request(number, "a", Action.SET, 1L, 1L, "{\"n\":9}", 0));
        asked.answer(set, "set", asked.incarnation());
        Request delete = asked.take(Duration.ofMinutes(1)).orElseThrow();
        assertThat(delete).isEqualTo(new Request(number + 1, "a", Action.DELETE, 1L, -1L, null, 0));
        assertThat(asked.repair(delete, row("a").unparked(1), now)).isTrue();
        assertThat(asked.repair(delete, row("a"), now)).as("the row has moved on").isFalse();
        assertThat(asked.take(Duration.ofMinutes(1)).orElseThrow().version())
                .as("it is known to be done")
                .isNull();

        assertThat(
                        fixture.server()
                                .query(
                                        "SELECT state IS NULL FROM %s.request WHERE number = %d"
                                                .formatted(fixture.settings().schema(), number)))
                .isEqualTo("t");
    }
}
