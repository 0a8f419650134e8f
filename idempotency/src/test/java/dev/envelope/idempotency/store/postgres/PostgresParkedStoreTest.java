package dev.envelope.idempotency.store.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.ParkedStore.Parked;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresParkedStoreTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final PostgresFixture fixture = new PostgresFixture();
    private final ParkedStore store = fixture.parkedStore();
    private final RequestStore asked = fixture.requests();
    private final Incarnation now = asked.incarnation();
    private final PartitionEpoch epoch = introduced();

    @Test
    void anotherValueTakesThePlaceOfTheFirstMessagesAndWhatWasThereIsKept() {
        park("k", 2);
        ask(it -> it.askToEdit("k", bytes("\u0000better"), "somebody"));
        Request request = asked.take(LEASE).orElseThrow();
        Snapshot next = row("k").counting(2);

        assertThat(asked.replace(request, row("k").counting(3).counting(2), now))
                .as("the row is at another version")
                .isFalse();
        assertThat(asked.replace(request, next, now)).isTrue();

        assertThat(asked.renew(request, LEASE).orElseThrow().version()).isNull();
        assertThat(store.first("k", 2))
                .extracting(it -> new String(it.message().value(), UTF_8))
                .containsExactly("\u0000better", "value 1");
        assertThat(store.replacements())
                .extracting(it -> it.source() + "/" + it.offset() + "/" + it.leaderEpoch())
                .containsExactly(epoch.source() + "/0/7");
        assertThat(replaced()).isEqualTo("value 0 somebody");

        ask(it -> it.askToEdit("k", null, "another"));
        asked.answer(request, "done", now);
        Request again = asked.take(LEASE).orElseThrow();
        assertThat(asked.replace(again, row("k").counting(2), now)).isTrue();

        assertThat(store.replacements().get(0).value()).isNull();
        assertThat(replaced()).as("what stood there first").isEqualTo("value 0 another");
        asked.answer(again, "done", now);
        ask(it -> it.askToDelete("k", null, "by"));
        Request delete = asked.take(LEASE).orElseThrow();
        assertThat(asked.repair(delete, row("k").counting(2), now)).isTrue();
        assertThat(store.replacements()).as("deleted with its key").isEmpty();
    }

    private void ask(Function<RequestCatalog, Optional<Long>> question) {
        try (RequestCatalog catalog =
                new OperatorConnections(fixture.settings(), System::nanoTime).requests()) {
            assertThat(question.apply(catalog)).isPresent();
        }
    }

    private String replaced() {
        return fixture.server()
                .query(
                        "SELECT convert_from(original, 'UTF8') || ' ' || replaced_by FROM "
                                + fixture.settings().schema()
                                + ".replacement");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private PartitionEpoch introduced() {
        NewSource source =
                new NewSource(new TopicPartition("t", 0), new Uuid(1, 1), new NextOffset(0, 0));
        int number = fixture.checkpoints().introduce(List.of(source)).sources().get(0).number();
        return new PartitionEpoch(1, source.partition(), number, now);
    }

    /** Parks messages of the key as the messages of its first save do. */
    private void park(String key, int count) {
        List<ParkedMessage> messages =
                java.util.stream.IntStream.range(0, count)
                        .mapToObj(
                                i -> {
                                    Message message =
                                            Records.message(epoch, i, 7, key, "value " + i);
                                    return new ParkedMessage(message, key, "failed", "why", 1);
                                })
                        .toList();
        Change change =
                new Change(
                        key,
                        0,
                        bytes("{\"n\":1}"),
                        Marks.NONE.advance(1, new NextOffset(count, 7)),
                        null,
                        0,
                        messages);
        assertThat(fixture.states().save(List.of(change), Patience.WAIT, now)).containsExactly(true);
    }

    private Snapshot row(String key) {
        Map<String, Snapshot> rows = fixture.states().load(List.of(key), now);
        return rows.getOrDefault(key, Snapshot.absent(key));
    }

    private void ask(String key, String action) {
        fixture.server()
                .execute(
                        "INSERT INTO %s.request (row_key, action, position, requested_by) VALUES ('%s', '%s', 5, 'me')"
                                .formatted(fixture.settings().schema(), key, action));
    }

    @Test
    void aRowCountsItsParkedMessagesAndTheyComeBackAsTheyWere() {
        park("a", 3);

        assertThat(row("a").parked()).isEqualTo(3);
        List<Parked> first = store.first("a", 2);
        assertThat(first).extracting(it -> it.message().offset()).containsExactly(0L, 1L);
        Message message = first.get(1).message();
        assertThat(message.toString()).isEqualTo("t-0@1");
        assertThat(message.key()).isEqualTo("a");
        assertThat(message.leaderEpoch()).isEqualTo(7);
        assertThat(message.timestampMillis()).isEqualTo(1_700_000_000_001L);
        assertThat(message.epoch().source()).isEqualTo(epoch.source());
        assertThat(message.value()).isEqualTo(bytes("value 1"));
        assertThat(store.first("b", 2)).isEmpty();
    }

    @Test
    void whatFailsAgainStandsThereWithThatAndWhen() {
        park("a", 2);
        long second = store.positions("a", Long.MAX_VALUE, 2).get(1);

        store.failedAgain(second, "undecodable", "no \u0000 JSON");

        try (ParkedCatalog catalog =
                new OperatorConnections(fixture.settings(), System::nanoTime).parked()) {
            List<ParkedCatalog.Entry> entries = catalog.messages("a", 0, 2);
            assertThat(entries.get(0).reason()).isEqualTo("failed");
            assertThat(entries.get(0).failedAgain()).isNull();
            assertThat(entries.get(1).reason()).isEqualTo("undecodable");
            assertThat(entries.get(1).attempts()).isEqualTo(2);
            assertThat(entries.get(1).error()).startsWith("no ").endsWith(" JSON");
            assertThat(entries.get(1).failedAgain()).isAfter(entries.get(1).since());
            assertThat(new String(entries.get(1).value(), UTF_8)).isEqualTo("value 1");
        }
    }

    @Test
    void aLaterSaveCountsOn() {
        park("a", 2);
        Message message = Records.message(epoch, 2, "a", "v");
        Snapshot row = row("a");
        Change change =
                new Change(
                        "a",
                        1,
                        row.state(),
                        row.marks().advance(1, new NextOffset(3, 7)),
                        null,
                        row.parked(),
                        List.of(new ParkedMessage(message, "a", "behind", "", 0)));

        for (Patience patience : List.of(Patience.WAIT, Patience.SKIP)) {
            fixture.states().save(List.of(change), patience, now);
        }

        assertThat(row("a").parked()).isEqualTo(3);
        assertThat(row("a").parked()).isEqualTo(change.asSaved().parked());
    }

    @Test
    void largeMessagesComeFewAtATimeAndOneAtLeast() {
        byte[] large = new byte[3 << 20];
        List<ParkedMessage> messages =
                java.util.stream.LongStream.range(0, 3)
                        .mapToObj(i -> Records.message(epoch, i, "a", new String(large, UTF_8)))
                        .map(it -> new ParkedMessage(it, "a", "failed", "why", 1))
                        .toList();
        Change change = new Change("a", 0, null, Marks.NONE, null, 0, messages);
        fixture.states().save(List.of(change), Patience.WAIT, now);

        assertThat(store.first("a", 9)).hasSize(1);
        assertThat(store.positions("a", Long.MAX_VALUE, 9)).hasSize(3);
        assertThat(store.positions("a", store.first("a", 1).get(0).position(), 9)).hasSize(1);
        assertThat(store.positions("a", Long.MAX_VALUE, 2)).hasSize(2);
    }

    @Test
    void aMessageThatIsNotParkedAnyMoreIsNotTakenOut() {
        park("a", 2);
        long first = store.first("a", 1).get(0).position();

        assertThat(store.save(row("a").unparked(2), List.of(first, 1_000_000L), now)).isFalse();

        assertThat(row("a").version()).isEqualTo(1);
        assertThat(store.first("a", 9)).hasSize(2);
    }

    @Test
    void aRequestThatHasHadItsShareStandsBehindTheOthersAndStaysWithItsProcess() {
        ask("a", "drop");
        ask("b", "drop");
        Request first = asked.take(LEASE).orElseThrow();

        asked.rest(first, Duration.ZERO, LEASE);

        try (PostgresStore other = PostgresStore.open(fixture.settings("another"))) {
            assertThat(asked.take(LEASE).orElseThrow().key()).isEqualTo("b");
            assertThat(asked.take(LEASE).orElseThrow().key())
                    .as("its own, which it has not answered")
                    .isEqualTo("b");
            assertThat(other.requests().take(LEASE)).isEmpty();
        }
    }

    @Test
    void aRequestThatThisProcessCanNotCarryOutWaitsAndIsAnybodysThen() {
        ask("a", "drop");
        ask("b", "drop");
        Request first = asked.take(LEASE).orElseThrow();

        asked.rest(first, Duration.ofMinutes(1), LEASE);

        try (PostgresStore other = PostgresStore.open(fixture.settings("another"))) {
            Request second = asked.take(LEASE).orElseThrow();
            assertThat(second.key()).isEqualTo("b");
            assertThat(other.requests().take(LEASE)).as("it rests").isEmpty();
            asked.rest(second, Duration.ofMillis(1), LEASE);
            fixture.server()
                    .await(
                            "(SELECT taken_until < now() FROM %s.request WHERE row_key = 'b')"
                                    .formatted(fixture.settings().schema()));
            Request again = other.requests().take(LEASE).orElseThrow();
            assertThat(again.key()).isEqualTo("b");
            assertThat(again.brokenOff()).as("nobody has broken off").isZero();
            asked.rest(second, Duration.ZERO, LEASE); // not ours any more
            assertThat(other.requests().renew(again, LEASE)).isPresent();
        }
    }

    @Test
    void takingMessagesOutIsACompareAndSetOfTheRow() {
        park("a", 3);
        List<Long> two = store.first("a", 2).stream().map(Parked::position).toList();
        Snapshot next = row("a").unparked(2);

        assertThat(store.save(next, two, now)).isTrue();
        assertThat(store.save(next, two, now)).as("the row has moved on").isFalse();

        assertThat(row("a").parked()).isEqualTo(1);
        assertThat(row("a").version()).isEqualTo(2);
        assertThat(store.first("a", 9)).extracting(it -> it.message().offset()).containsExactly(2L);
    }

    private Request askedToSet(String key) {
        try (RequestCatalog requests =
                new OperatorConnections(fixture.settings(), System::nanoTime).requests()) {
            assertThat(requests.askToSet(key, "{\"n\":9}", null, "me")).isPresent();
        }
        return asked.take(Duration.ZERO).orElseThrow(); // so that the next may have it at once
    }

    @Test
    void thatARepairIsDoneIsSavedWithItSoThatWhoeverTakesItAgainDoesNothing() {
        park("a", 1);
        Request first = askedToSet("a");
        assertThat(first.version()).isEqualTo(1);
        Snapshot row = row("a");
        Snapshot next =
                new Snapshot("a", 2, bytes("{\"n\":9}"), row.marks(), row.ids(), row.parked());

        assertThat(asked.repair(first, next, now)).isTrue();

        Request again = asked.take(LEASE).orElseThrow();
        assertThat(again.number()).isEqualTo(first.number());
        assertThat(again.version()).as("nothing is left to repair").isNull();
        assertThat(row("a").state()).isEqualTo(bytes("{\"n\":9}"));
    }

    @Test
    void aRepairThatCameTooLateIsNotDone() {
        park("a", 2);
        Request first = askedToSet("a");
        Snapshot row = row("a");
        List<Long> one = store.first("a", 1).stream().map(Parked::position).toList();
        assertThat(store.save(row.unparked(1), one, now)).as("somebody is faster").isTrue();
        Snapshot next = new Snapshot("a", 2, bytes("{}"), row.marks(), row.ids(), row.parked());

        assertThat(asked.repair(first, next, now)).isFalse();

        assertThat(asked.take(LEASE).orElseThrow().version()).isEqualTo(1);
        assertThat(row("a").state()).isEqualTo(bytes("{\"n\":1}"));
    }

    private void deleteRow(String key) {
        String schema = fixture.settings().schema();
        fixture.server().execute("DELETE FROM " + schema + ".state WHERE key = '" + key + "'");
    }

    @Test
    void whatIsParkedMakesARowAnewThatWasDeletedByHand() {
        park("a", 3);
        deleteRow("a");
        Snapshot anew = store.rowOfParked("a");
        assertThat(anew.isAbsent()).isTrue();
        assertThat(anew.marks().format()).isEqualTo(epoch.source() + ":3@7");
        assertThat(anew.parked()).isEqualTo(3);
        List<Long> two = store.first("a", 2).stream().map(Parked::position).toList();

        assertThat(store.save(anew.unparked(2), two, now)).isTrue();
        assertThat(store.save(anew.unparked(2), two, now)).as("it is there by now").isFalse();

        assertThat(row("a").version()).isEqualTo(1);
        assertThat(row("a").state()).isNull();
        assertThat(row("a").marks()).isEqualTo(anew.marks());
        assertThat(row("a").parked()).isEqualTo(1);
        assertThat(store.first("a", 9)).hasSize(1);
        assertThat(store.rowOfParked("nobody").parked()).isZero();
    }

    @Test
    void aRowThatWasDeletedByHandIsSetFromItsVersionZero() {
        park("a", 2);
        deleteRow("a");
        Request set = askedToSet("a");
        assertThat(set.version()).isZero();
        Snapshot anew = store.rowOfParked("a");
        Snapshot next = new Snapshot("a", 1, bytes("{\"n\":9}"), anew.marks(), null, anew.parked());

        assertThat(asked.repair(set, next, now)).isTrue();
        assertThat(asked.repair(set, next, now)).isFalse();

        assertThat(row("a").state()).isEqualTo(bytes("{\"n\":9}"));
        assertThat(row("a").parked()).isEqualTo(2);
        assertThat(asked.take(LEASE).orElseThrow().version()).as("it is done").isNull();
    }

    @Test
    void aLostCompareAndSetDeletesNothing() {
        park("a", 2);
        Snapshot stale = new Snapshot("a", 9, null, Marks.NONE, null, 0);

        List<Long> all = store.first("a", 9).stream().map(Parked::position).toList();
        assertThat(store.save(stale, all, now)).isFalse();

        assertThat(store.first("a", 9)).hasSize(2);
    }

    @Test
    void aRequestIsTakenOnceUntilItIsAnsweredOrItsLeaseEnds() {
        ask("a", "skip");
        ask("b", "drop");

        Request first = asked.take(LEASE).orElseThrow();
        assertThat(first)
                .isEqualTo(new Request(first.number(), "a", Action.SKIP, 5L, null, null, 0));
        assertThat(asked.take(LEASE)).as("it has broken off, and tries again").contains(first);
        try (PostgresStore other = PostgresStore.open(fixture.settings("another"))) {
            Request second = other.requests().take(Duration.ZERO).orElseThrow();
            assertThat(second.key()).isEqualTo("b");
            assertThat(other.requests().renew(first, LEASE)).as("another's").isEmpty();

            assertThat(asked.renew(first, LEASE)).contains(first);
            assertThatThrownBy(() -> asked.answer(first, "done", new Incarnation("another")))
                    .isInstanceOf(OtherIncarnationException.class);
            asked.answer(first, "done", asked.incarnation());
            assertThat(asked.renew(first, LEASE)).isEmpty();
            assertThat(asked.take(LEASE))
                    .as("its lease was over at once, without an answer")
                    .contains(new Request(second.number(), "b", Action.DROP, 5L, null, null, 1));
            assertThat(other.requests().take(LEASE)).isEmpty();
            asked.leave();
            assertThat(other.requests().take(LEASE))
                    .as("it was given back")
                    .contains(new Request(second.number(), "b", Action.DROP, 5L, null, null, 1));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
