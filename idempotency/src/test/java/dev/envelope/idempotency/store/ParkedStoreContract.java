package dev.envelope.idempotency.store;

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
import dev.envelope.idempotency.store.StoreFixture.ParkedRecord;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.ParkedStore.Parked;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store owes those who carry out what operators ask for of parked messages. */
public abstract class ParkedStoreContract {

    protected static final Duration LEASE = Duration.ofMinutes(1);

    private StoreFixture fixture;
    private StoreFixture.Started one;
    protected ParkedStore store;
    protected RequestStore requests;
    protected Incarnation now;
    protected PartitionEpoch epoch;

    /** A store without a row. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        fixture = open();
        one = fixture.start("one");
        store = one.parked();
        requests = one.requests();
        now = requests.incarnation();
        NewSource source =
                new NewSource(new TopicPartition("t", 0), new Uuid(1, 1), new NextOffset(0, 0));
        int number = fixture.checkpoints().introduce(List.of(source)).sources().get(0).number();
        epoch = new PartitionEpoch(1, source.partition(), number, now);
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    /** Parks messages of the key as the messages of its first save do. */
    protected void park(String key, int count) {
        List<ParkedMessage> messages =
                IntStream.range(0, count)
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
        assertThat(fixture.states().save(List.of(change), Patience.WAIT, now))
                .containsExactly(true);
    }

    protected Snapshot row(String key) {
        Map<String, Snapshot> rows = fixture.states().load(List.of(key), now);
        return rows.getOrDefault(key, Snapshot.absent(key));
    }

    private boolean takesOut(Snapshot next, List<Long> positions) {
        return fixture.redrives(one, next, positions, HandlerEffects.NONE);
    }

    /** An operator asks for it, and this process takes it; so that the next may have it at once. */
    private Request askedToSet(String key, long version) {
        fixture.ask(key, Action.SET, null, version, "{\"n\":9}");
        return requests.take(Duration.ZERO).orElseThrow();
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
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
    void aMessageThatIsNotParkedAnyMoreIsNotTakenOut() {
        park("a", 2);
        long first = store.first("a", 1).get(0).position();

        assertThat(takesOut(row("a").unparked(2), List.of(first, 1_000_000L))).isFalse();

        assertThat(row("a").version()).isEqualTo(1);
        assertThat(store.first("a", 9)).hasSize(2);
    }

    @Test
    void takingMessagesOutIsACompareAndSetOfTheRow() {
        park("a", 3);
        List<Long> two = store.first("a", 2).stream().map(Parked::position).toList();
        Snapshot next = row("a").unparked(2);

        assertThat(takesOut(next, two)).isTrue();
        assertThat(takesOut(next, two)).as("the row has moved on").isFalse();

        assertThat(row("a").parked()).isEqualTo(1);
        assertThat(row("a").version()).isEqualTo(2);
        assertThat(store.first("a", 9)).extracting(it -> it.message().offset()).containsExactly(2L);
    }

    @Test
    void aLostCompareAndSetDeletesNothing() {
        park("a", 2);
        Snapshot stale = new Snapshot("a", 9, null, Marks.NONE, null, 0);

        List<Long> all = store.first("a", 9).stream().map(Parked::position).toList();
        assertThat(takesOut(stale, all)).isFalse();

        assertThat(store.first("a", 9)).hasSize(2);
    }

    @Test
    void whatIsParkedMakesARowAnewThatWasDeletedByHand() {
        park("a", 3);
        fixture.deleteRow("a");
        Snapshot anew = store.rowOfParked("a");
        assertThat(anew.isAbsent()).isTrue();
        assertThat(anew.marks().format()).isEqualTo(epoch.source() + ":3@7");
        assertThat(anew.parked()).isEqualTo(3);
        List<Long> two = store.first("a", 2).stream().map(Parked::position).toList();

        assertThat(takesOut(anew.unparked(2), two)).isTrue();
        assertThat(takesOut(anew.unparked(2), two)).as("it is there by now").isFalse();

        assertThat(row("a").version()).isEqualTo(1);
        assertThat(row("a").state()).isNull();
        assertThat(row("a").marks()).isEqualTo(anew.marks());
        assertThat(row("a").parked()).isEqualTo(1);
        assertThat(store.first("a", 9)).hasSize(1);
        assertThat(store.rowOfParked("nobody").parked()).isZero();
    }

    @Test
    void aRequestIsTakenOnceUntilItIsAnsweredOrItsLeaseEnds() {
        fixture.ask("a", Action.SKIP, 5L, null, null);
        fixture.ask("b", Action.DROP, 5L, null, null);

        Request first = requests.take(LEASE).orElseThrow();
        assertThat(first)
                .isEqualTo(new Request(first.number(), "a", Action.SKIP, 5L, null, null, 0));
        assertThat(requests.take(LEASE)).as("it has broken off, and tries again").contains(first);
        RequestStore other = fixture.requests("another");
        Request second = other.take(Duration.ZERO).orElseThrow();
        assertThat(second.key()).isEqualTo("b");
        assertThat(other.renew(first, LEASE)).as("another's").isEmpty();

        assertThat(requests.renew(first, LEASE)).contains(first);
        assertThatThrownBy(() -> requests.answer(first, "done", new Incarnation("another")))
                .isInstanceOf(OtherIncarnationException.class);
        requests.answer(first, "done", requests.incarnation());
        assertThat(requests.renew(first, LEASE)).isEmpty();
        assertThat(requests.take(LEASE))
                .as("its lease was over at once, without an answer")
                .contains(new Request(second.number(), "b", Action.DROP, 5L, null, null, 1));
        assertThat(other.take(LEASE)).isEmpty();
        requests.leave();
        assertThat(other.take(LEASE))
                .as("it was given back")
                .contains(new Request(second.number(), "b", Action.DROP, 5L, null, null, 1));
    }

    @Test
    void aRequestThatHasHadItsShareStandsBehindTheOthersAndStaysWithItsProcess() {
        fixture.ask("a", Action.DROP, 5L, null, null);
        fixture.ask("b", Action.DROP, 5L, null, null);
        Request first = requests.take(LEASE).orElseThrow();

        requests.rest(first, Duration.ZERO, LEASE);

        RequestStore other = fixture.requests("another");
        assertThat(requests.take(LEASE).orElseThrow().key()).isEqualTo("b");
        assertThat(requests.take(LEASE).orElseThrow().key())
                .as("its own, which it has not answered")
                .isEqualTo("b");
        assertThat(other.take(LEASE)).isEmpty();
    }

    @Test
    void aRequestThatRestedWhenItsProcessEndedWasNotBrokenOff() {
        fixture.ask("a", Action.DROP, 5L, null, null);
        Request rests = requests.take(LEASE).orElseThrow();
        requests.rest(rests, Duration.ZERO, Duration.ZERO);

        Request other = fixture.requests("another").take(LEASE).orElseThrow();

        assertThat(other.brokenOff()).isZero();
    }

    @Test
    void thatARepairIsDoneIsSavedWithItSoThatWhoeverTakesItAgainDoesNothing() {
        park("a", 1);
        Request first = askedToSet("a", 1L);
        Snapshot row = row("a");
        Snapshot next =
                new Snapshot("a", 2, bytes("{\"n\":9}"), row.marks(), row.ids(), row.parked());

        assertThat(requests.repair(first, next, now)).isTrue();

        Request again = requests.take(LEASE).orElseThrow();
        assertThat(again.number()).isEqualTo(first.number());
        assertThat(again.version()).as("nothing is left to repair").isNull();
        assertThat(row("a").state()).isEqualTo(bytes("{\"n\":9}"));
    }

    @Test
    void aRepairThatCameTooLateIsNotDone() {
        park("a", 2);
        Snapshot row = row("a");
        List<Long> first = store.positions("a", Long.MAX_VALUE, 1);
        assertThat(takesOut(row.unparked(1), first)).as("somebody is faster").isTrue();
        Request late = askedToSet("a", 1L);
        Snapshot next = new Snapshot("a", 2, bytes("{}"), row.marks(), row.ids(), row.parked());

        assertThat(requests.repair(late, next, now)).isFalse();

        assertThat(requests.take(LEASE).orElseThrow().version()).isEqualTo(1);
        assertThat(row("a").state()).isEqualTo(bytes("{\"n\":1}"));
    }

    @Test
    void aRowThatWasDeletedByHandIsSetFromItsVersionZero() {
        park("a", 2);
        fixture.deleteRow("a");
        Request set = askedToSet("a", 0L);
        Snapshot anew = store.rowOfParked("a");
        Snapshot next = new Snapshot("a", 1, bytes("{\"n\":9}"), anew.marks(), null, anew.parked());

        assertThat(requests.repair(set, next, now)).isTrue();
        assertThat(requests.repair(set, next, now)).isFalse();

        assertThat(row("a").state()).isEqualTo(bytes("{\"n\":9}"));
        assertThat(row("a").parked()).isEqualTo(2);
        assertThat(requests.take(LEASE).orElseThrow().version()).as("it is done").isNull();
    }

    @Test
    void anotherValueTakesThePlaceOfTheFirstMessagesWithASaveOfItsRow() {
        park("k", 2);
        long first = store.positions("k", Long.MAX_VALUE, 1).get(0);
        String value = Base64.getEncoder().encodeToString(bytes("better"));
        fixture.ask("k", Action.EDIT, first, Request.ANY_VERSION, value);
        Request request = requests.take(LEASE).orElseThrow();

        assertThat(requests.replace(request, row("k").counting(3).counting(2), now))
                .as("the row is at another version")
                .isFalse();
        assertThat(store.replacements()).isEmpty();
        assertThat(requests.replace(request, row("k").counting(2), now)).isTrue();

        assertThat(requests.renew(request, LEASE).orElseThrow().version()).isNull();
        assertThat(store.first("k", 2))
                .extracting(it -> new String(it.message().value(), StandardCharsets.UTF_8))
                .containsExactly("better", "value 1");
        assertThat(store.replacements())
                .extracting(it -> it.source() + "/" + it.offset() + "/" + it.leaderEpoch())
                .containsExactly(epoch.source() + "/0/7");
    }

    @Test
    void whatStoodInThePlaceOfAValueGoesWithTheKeyThatIsDeleted() {
        park("k", 1);
        long first = store.positions("k", Long.MAX_VALUE, 1).get(0);
        fixture.ask("k", Action.EDIT, first, Request.ANY_VERSION, null);
        Request edit = requests.take(LEASE).orElseThrow();
        assertThat(requests.replace(edit, row("k").counting(1), now)).isTrue();
        requests.answer(edit, "done", now);
        fixture.ask("k", Action.DELETE, first, Request.ANY_VERSION, null);
        Request delete = requests.take(LEASE).orElseThrow();

        assertThat(requests.repair(delete, row("k").counting(1), now)).isTrue();

        assertThat(store.replacements()).isEmpty();
    }

    /** They would apply messages that are deleted next. */
    @Test
    void otherRequestsOfAKeyThatIsBeingDeletedWaitUntilItIsDone() {
        park("k", 1);
        fixture.ask("k", Action.REDRIVE, null, null, null);
        fixture.ask("other", Action.REDRIVE, null, null, null);
        Request redrive = requests.take(LEASE).orElseThrow();
        fixture.ask("k", Action.DELETE, 5L, Request.ANY_VERSION, null);
        RequestStore another = fixture.requests("another");
        Request others = another.take(LEASE).orElseThrow();
        another.answer(others, "done", now);
        Request delete = another.take(LEASE).orElseThrow();
        assertThat(requests.renew(redrive, LEASE)).as("nothing is deleted yet").isPresent();

        assertThat(another.repair(delete, row("k").counting(1), now)).isTrue();

        assertThat(requests.renew(redrive, LEASE)).isEmpty();
        assertThat(requests.take(LEASE)).isEmpty();
        assertThat(another.renew(delete, LEASE)).isPresent();
        another.answer(delete, "deleted", now);
        assertThat(requests.take(LEASE)).contains(redrive);
    }

    /** It froze behind its look, and thaws when another has the request, or has ended it. */
    @Test
    void whoHasARequestNoLongerRepairsAndReplacesNothing() {
        park("k", 2);
        long first = store.positions("k", Long.MAX_VALUE, 1).get(0);
        RequestStore another = fixture.requests("another");

        Request delete = takenByBoth(Action.DELETE, first, another);
        assertThat(requests.repair(delete, row("k").counting(2), now)).isFalse();
        another.answer(delete, "given up", now);
        assertThat(another.repair(delete, row("k").counting(2), now)).as("answered").isFalse();

        Request edit = takenByBoth(Action.EDIT, first, another);
        assertThat(requests.replace(edit, row("k").counting(2), now)).isFalse();
        assertThat(row("k").version()).isEqualTo(1);
        assertThat(another.replace(edit, row("k").counting(2), now)).isTrue();
        another.answer(edit, "done", now);

        fixture.deleteRow("k");
        Request anew = takenByBoth(Action.DELETE, first, another);
        Snapshot deleted = store.rowOfParked("k").counting(2);
        assertThat(requests.repair(anew, deleted, now)).isFalse();
        assertThat(row("k").isAbsent()).isTrue();
        assertThat(another.repair(anew, deleted, now)).isTrue();
    }

    @Test
    void whoHasARequestNoLongerTakesNothingOutAndRecordsAndAnswersNothing() {
        park("k", 2);
        List<Long> first = store.positions("k", Long.MAX_VALUE, 1);
        RequestStore another = fixture.requests("another");
        Request drop = takenByBoth(Action.DROP, first.get(0), another);
        Snapshot next = row("k").unparked(1);

        assertThat(store.save(drop, next, first, now)).isFalse();
        store.failedAgain(drop, first.get(0), "undecodable", "no JSON");
        assertThat(requests.answer(drop, "done", now)).isFalse();

        assertThat(store.positions("k", Long.MAX_VALUE, 9)).hasSize(2);
        assertThat(row("k").version()).isEqualTo(1);
        assertThat(fixture.parked()).extracting(ParkedRecord::reason).containsOnly("failed");
        assertThat(another.renew(drop, LEASE)).isPresent();
        assertThat(another.answer(drop, "done", now)).isTrue();
        assertThat(another.answer(drop, "again", now)).as("answered").isFalse();
    }

    private Request takenByBoth(Action action, long position, RequestStore another) {
        fixture.ask("k", action, position, Request.ANY_VERSION, null);
        Request taken = requests.take(Duration.ZERO).orElseThrow();
        assertThat(another.take(LEASE).orElseThrow().number()).isEqualTo(taken.number());
        return taken;
    }
}
