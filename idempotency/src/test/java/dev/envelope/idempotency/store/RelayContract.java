package dev.envelope.idempotency.store;

import static dev.envelope.idempotency.store.OutputBench.HOUR;
import static dev.envelope.idempotency.store.OutputBench.MANY;
import static dev.envelope.idempotency.store.OutputBench.MUCH;
import static dev.envelope.idempotency.store.OutputBench.NO_TIME;
import static dev.envelope.idempotency.store.OutputBench.change;
import static dev.envelope.idempotency.store.OutputBench.places;
import static dev.envelope.idempotency.store.OutputBench.value;
import static dev.envelope.idempotency.store.OutputBench.values;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.OutputBench.Sender;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Before;
import dev.envelope.idempotency.store.output.OutputStore.Gone;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Refused;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store of outputs owes relays: batches, takeovers, order, and what Kafka refuses. */
public abstract class RelayContract {

    private static final SortedSet<Place> NOTHING = new TreeSet<>();

    private OutputBench bench;
    private Sender one;
    private Sender two;

    /** A store without a row. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        bench = new OutputBench(open());
        one = bench.new Sender("one");
        two = bench.new Sender("two");
    }

    @AfterEach
    void closeStore() {
        bench.close();
    }

    @Test
    void aBatchIsOpenedOnceAndItsNumberIsOneHigher() {
        one.emit("a");
        assertThat(one.look().batch()).isZero();

        assertThat(one.outputs.open(one.own, List.of(), one.places())).isTrue();
        assertThat(one.look().batch()).isEqualTo(1);
        assertThat(one.outputs.open(one.own, List.of(), NOTHING)).as("out of date").isFalse();
        assertThat(one.outputs.close(one.own, List.of())).as("out of date").isFalse();
        assertThat(one.look().batch()).isEqualTo(1);
        assertThat(one.values()).as("rows stay until they are sent").containsExactly("a");
    }

    @Test
    void openingTheNextBatchDeletesWhatWasSentAlsoIfOpeningFails() {
        one.emit("a");
        SortedSet<Place> first = one.open();
        one.emit("b");
        one.emit("c");
        SortedSet<Place> second = new TreeSet<>(one.places());
        second.removeAll(first);

        assertThat(one.outputs.open(one.look(), first, second)).isTrue();
        assertThat(one.values()).containsExactly("b", "c");

        assertThat(one.outputs.open(one.own, List.of(second.first()), NOTHING)).isFalse();
        assertThat(one.values()).containsExactly("c");
        assertThat(one.outputs.close(one.look(), List.of(second.last()))).isTrue();
        assertThat(one.values()).isEmpty();
        assertThat(one.look().batch()).as("closing opens none").isEqualTo(2);
    }

    @Test
    void rowsOfAnotherRelayAreNotDeletedByTheirPlace() {
        one.emit("a");
        two.emit("b");

        one.outputs.sent(one.own, two.places());
        one.outputs.open(one.own, two.places(), NOTHING);
        assertThat(two.values()).containsExactly("b");

        one.outputs.sent(one.own, one.places());
        assertThat(one.values()).isEmpty();
    }

    @Test
    void aRelayThatWasTakenOverDeletesNothingBecauseAnotherPartMayHaveThePlaceOfOneThatWasSent() {
        one.emitTo("a", "t0", "t1", "t2");
        one.outputs.split(one.own, one.rows().get(0), List.of(1), null);
        Row part = one.rows().get(1);
        Own own = one.look();
        two.takeOver(one, -1);
        two.outputs.sent(two.look(), List.of(part.place()));
        two.outputs.split(two.look(), two.rows().get(0), List.of(1), null);
        assertThat(two.rows().get(1).place()).as("used again").isEqualTo(part.place());

        one.outputs.sent(own, List.of(part.place()));
        assertThat(one.outputs.open(own, List.of(part.place()), NOTHING)).isFalse();
        assertThat(one.outputs.close(own, List.of(part.place()))).isFalse();
        assertThat(two.values()).containsExactly("t0", "t2");
    }

    @Test
    void transactionalIdsAreRecordedOnlyWhileNoBatchIsOpen() {
        one.emit("a");
        assertThat(one.outputs.under(one.own, List.of("x", "y"))).isTrue();
        assertThat(two.seen(one))
                .isEqualTo(new Gone(one.own.number(), List.of("x", "y"), 0, false));

        one.open();
        assertThat(one.outputs.under(one.look(), List.of("z"))).isFalse();
        assertThat(two.seen(one)).isEqualTo(new Gone(one.own.number(), List.of("x", "y"), 1, true));

        one.outputs.close(one.look(), List.of());
        assertThat(one.outputs.under(one.look(), List.of("z"))).isTrue();
        assertThat(two.seen(one).ids()).containsExactly("z");
    }

    @Test
    void aRelayIsGoneOnceItIsSilentAndHasRowsOrAnOpenBatch() {
        assertThat(two.gone(NO_TIME)).isEmpty();
        one.emit("a");
        assertThat(two.gone(HOUR)).as("it was seen just now").isEmpty();
        assertThat(two.gone(NO_TIME)).containsExactly(one.own.number());
        assertThat(one.gone(NO_TIME)).as("never oneself").isEmpty();

        SortedSet<Place> all = one.open();
        one.outputs.sent(one.own, all);
        assertThat(two.gone(NO_TIME)).as("an open batch").containsExactly(one.own.number());
        one.outputs.close(one.look(), List.of());
        assertThat(two.gone(NO_TIME)).isEmpty();
    }

    @Test
    void aRelayThatLeavesMayBeTakenOverAtOnceUnlessItIsSeenAgain() {
        one.emit("a");
        one.outputs.leave(one.own);
        assertThat(two.gone(HOUR)).containsExactly(one.own.number());
        Gone gone = two.outputs.gone(two.own, HOUR).get(0);

        one.outputs.alive(one.own);
        assertThat(two.gone(HOUR)).isEmpty();
        assertThat(two.outputs.takeOver(two.own, gone, -1, HOUR)).isFalse();
        assertThat(one.values()).containsExactly("a");

        one.outputs.leave(one.own);
        assertThat(two.outputs.takeOver(two.own, gone, -1, HOUR)).isTrue();
        assertThat(two.values()).containsExactly("a");
    }

    @Test
    void openingOrClosingABatchOrNewIdsAreASignOfLife() {
        one.emit("a");
        one.outputs.leave(one.own);
        one.outputs.under(one.own, List.of("x"));
        assertThat(two.gone(HOUR)).isEmpty();

        one.outputs.leave(one.own);
        one.open();
        assertThat(two.gone(HOUR)).isEmpty();

        one.outputs.leave(one.own);
        one.outputs.close(one.look(), List.of());
        assertThat(two.gone(HOUR)).isEmpty();
    }

    @Test
    void theRowsOfACommittedBatchGoWithATakeoverAndTheOthersAreSent() {
        one.emit("a");
        one.open();
        one.emit("b");

        assertThat(two.takeOver(one, 1)).isTrue();
        assertThat(two.values()).containsExactly("b");
        assertThat(two.look().served()).containsExactly(one.own.number());
    }

    @Test
    void theRowsOfABatchThatWasNotCommittedAreFreeAfterATakeover() {
        one.emit("a");
        one.open();

        assertThat(two.takeOver(one, 0)).isTrue();
        assertThat(two.values()).containsExactly("a");
        assertThat(two.gone(NO_TIME)).as("its batch has ended").isEmpty();
    }

    @Test
    void aRelayThatWasTakenOverOpensClosesAndRecordsNothingAndFindsNothing() {
        one.emit("a");
        one.outputs.under(one.own, List.of("x"));
        two.takeOver(one, -1);

        assertThat(one.outputs.open(one.own, List.of(), NOTHING)).isFalse();
        assertThat(one.outputs.close(one.own, List.of())).isFalse();
        assertThat(one.outputs.under(one.own, List.of("y"))).isFalse();
        assertThat(one.outputs.look(one.own)).isEmpty();
        assertThat(one.outputs.resolved(one.own, 7)).isEmpty();
        assertThat(two.values()).containsExactly("a");

        two.emit("b");
        assertThat(
                        one.outputs.takeOver(
                                one.own,
                                new Gone(two.own.number(), List.of(), 0, false),
                                -1,
                                NO_TIME))
                .as("whoever is served serves nobody")
                .isFalse();
    }

    @Test
    void ofTwoTakersTheSecondIsToldSo() {
        Sender three = bench.new Sender("three");
        one.emit("a");
        Gone gone = three.seen(one);

        assertThat(two.takeOver(one, -1)).isTrue();
        assertThat(three.outputs.takeOver(three.own, gone, -1, NO_TIME)).isFalse();
        assertThat(three.values()).isEmpty();
        assertThat(two.values()).containsExactly("a");
    }

    @Test
    void aRelayThatHasMovedOnSinceItWasSeenIsNotTakenOver() {
        one.emit("a");
        Gone before = two.seen(one);
        one.open();
        assertThat(two.outputs.takeOver(two.own, before, -1, NO_TIME)).isFalse();

        Gone open = two.seen(one);
        one.outputs.close(one.look(), List.of());
        assertThat(two.outputs.takeOver(two.own, open, 0, NO_TIME)).isFalse();

        Gone closed = two.seen(one);
        one.outputs.under(one.look(), List.of("new"));
        assertThat(two.outputs.takeOver(two.own, closed, 0, NO_TIME)).isFalse();
        assertThat(two.outputs.takeOver(two.own, two.seen(one), 0, NO_TIME)).isTrue();
    }

    @Test
    void whoeverTakesATakerOverServesAllThatItHasServed() {
        Sender three = bench.new Sender("three");
        one.emit("a");
        two.takeOver(one, -1);
        SortedSet<Place> batch = two.open();

        assertThat(three.gone(NO_TIME)).containsExactly(two.own.number());
        assertThat(three.takeOver(two, 0)).isTrue();
        assertThat(three.look().served()).as("two has no rows").containsExactly(one.own.number());
        assertThat(three.places()).isEqualTo(batch);

        two.emit("b");
        one.emit("c");
        assertThat(three.values())
                .as("late rows of zombies have their numbers")
                .containsExactly("a", "b", "c");
    }

    @Test
    void aRelayServesByNameOnlyThoseThatHaveRows() {
        one.emit("a");
        two.takeOver(one, -1);
        SortedSet<Place> batch = two.open();
        assertThat(two.look().served()).as("sent or not").containsExactly(one.own.number());

        two.outputs.close(two.look(), batch);
        assertThat(two.look().served()).isEmpty();

        one.emit("late");
        assertThat(two.look().served()).containsExactly(one.own.number());
        two.open();
        assertThat(two.outputs.resolved(two.look(), two.look().batch()))
                .get()
                .satisfies(own -> assertThat(own.served()).isEmpty());
        assertThat(two.values()).isEmpty();
    }

    @Test
    void theCommittedBatchOfATakerMayHaveRowsOfThoseThatItServes() {
        Sender three = bench.new Sender("three");
        one.emit("a");
        two.takeOver(one, -1);
        two.emit("b");
        two.open();
        one.emit("c");

        assertThat(three.takeOver(two, 1)).isTrue();
        assertThat(three.values()).containsExactly("c");
    }

    @Test
    void aTakerIsGoneForTheRowsOfThoseThatItServes() {
        Sender three = bench.new Sender("three");
        one.emit("a");
        two.takeOver(one, -1);
        two.outputs.sent(two.look(), two.places());
        assertThat(three.gone(NO_TIME)).isEmpty();

        one.emit("late");
        assertThat(three.gone(NO_TIME)).containsExactly(two.own.number());
        assertThat(three.takeOver(two, -1)).isTrue();
        assertThat(three.values()).containsExactly("late");
    }

    @Test
    void aProcessThatRegistersAgainHasARelayOfItsOwn() {
        one.emit("a");
        two.takeOver(one, -1);

        Own again = one.outputs.register();
        assertThat(again.number()).isGreaterThan(two.own.number());
        one.emit("b");
        assertThat(values(one.outputs.next(again, List.of(), MANY, MUCH))).containsExactly("b");
        assertThat(two.values()).containsExactly("a");
    }

    @Test
    void ofAnUnknownOutcomeOfOnesOwnTheCommittedNumberDecides() {
        one.emit("a");
        one.open();
        assertThat(one.outputs.resolved(one.own, 0)).contains(one.look());
        assertThat(one.look().batch()).isEqualTo(1);
        assertThat(one.values()).containsExactly("a");
        assertThat(one.outputs.under(one.look(), List.of("x"))).as("no batch is open").isTrue();

        one.open();
        assertThat(one.outputs.resolved(one.own, 2))
                .get()
                .satisfies(own -> assertThat(own.batch()).isEqualTo(2));
        assertThat(one.values()).isEmpty();
    }

    @Test
    void whatGoesBeforeAPositionAreRowsOfOthersAndRefusedOnesOfAnybody() {
        two.emit("of two", "too of two");
        one.emit("of one");
        one.emit("refused");
        two.emit("behind");
        List<Row> own = one.rows();
        one.outputs.split(one.own, own.get(1), List.of(0), "too large");
        long position = own.get(1).place().position() + 1;
        List<Integer> lanes = List.of(3, Output.lane("refused", "out"));

        Before before = one.outputs.before(one.own, position, List.of(), lanes);
        Place ofTwo = two.places().first();
        assertThat(before.upTo()).isEqualTo(position);
        assertThat(before.lanes()).containsOnlyKeys(ofTwo, own.get(1).place());
        assertThat(before.lanes().get(ofTwo))
                .containsExactlyInAnyOrder(
                        Output.lane("of two", "out"), Output.lane("too of two", "out"));
        assertThat(before.lanes().get(own.get(1).place()))
                .containsExactly(Output.lane("refused", "out"));

        Before again = one.outputs.before(one.own, position, before.lanes().keySet(), lanes);
        assertThat(again.lanes()).containsOnlyKeys(before.lanes().keySet());
        assertThat(again.lanes().get(ofTwo)).as("known").isNull();
        assertThat(again.lanes().get(own.get(1).place())).as("refused").isNotNull();
        assertThat(one.outputs.before(one.own, ofTwo.position(), List.of(), lanes).lanes())
                .isEmpty();

        one.takeOver(two, -1);
        assertThat(one.outputs.before(one.look(), position, List.of(), lanes).lanes())
                .as("what is one's own by now is sent in its order")
                .containsOnlyKeys(own.get(1).place());
    }

    @Test
    void refusedRowsAreReadOnlyIfTheyHaveALaneThatIsAskedFor() {
        one.emitTo("a", "t0", "t1");
        one.emit("b");
        two.emit("c");
        List<Row> rows = one.rows();
        one.outputs.split(one.own, rows.get(0), List.of(0, 1), "why");
        one.outputs.split(one.own, rows.get(1), List.of(0), "why");
        Row third = two.rows().get(0);
        two.outputs.split(two.own, third, List.of(0), "why");
        Place ofA = rows.get(0).place();
        Place ofB = rows.get(1).place();
        int a1 = Output.lane("a", "t1");
        int c = Output.lane("c", "out");
        long end = third.place().position() + 1;

        Before before = one.outputs.before(one.own, end, List.of(ofA, ofB), List.of(a1, c));
        assertThat(before.lanes()).containsOnlyKeys(ofA, third.place());
        assertThat(before.refused()).containsExactlyInAnyOrder(ofA, third.place());
        assertThat(before.lanes().get(ofA))
                .as("never as known: they may be of another part by now")
                .containsExactlyInAnyOrder(Output.lane("a", "t0"), a1);
        assertThat(one.outputs.before(one.own, end - 1, List.of(), List.of(a1, c)).refused())
                .as("below the position")
                .containsExactly(ofA);
        assertThat(one.outputs.before(one.own, end, List.of(), List.of()).lanes()).isEmpty();

        two.emit("c");
        assertThat(one.outputs.before(one.own, end + 1, List.of(), List.of()).refused())
                .as("a row that only waits")
                .isEmpty();
    }

    @Test
    void whatGoesBeforeIsReadAThousandRowsOfEachRelayAtATime() {
        String key = "of two";
        for (int i = 0; i < 1_002; i++) {
            two.process
                    .states()
                    .save(
                            List.of(
                                    change(
                                            key,
                                            i,
                                            List.of(bench.output(i, 1, "out", String.valueOf(i))))),
                            Patience.WAIT,
                            bench.now);
        }
        one.emit("a");
        long position = one.places().first().position();
        List<Integer> lanes = List.of();
        SortedSet<Place> first = places(two.outputs.next(two.own, List.of(), 400, MUCH));

        Before before = one.outputs.before(one.own, position, List.of(), lanes);
        assertThat(before.lanes()).hasSize(1_000);
        assertThat(before.upTo()).isEqualTo(first.first().position() + 999);

        two.outputs.sent(two.own, first);
        assertThat(one.outputs.before(one.own, position, List.of(), lanes).lanes()).hasSize(602);
        assertThat(one.outputs.before(one.own, position, List.of(), lanes).upTo())
                .isEqualTo(position);
    }

    @Test
    void whatIsTakenOutLaterGoesBeforeWhatWasBehindIt() {
        one.emitTo("a", "t0", "t1", "t2", "t3", "t4");
        one.outputs.split(one.own, one.rows().get(0), List.of(3, 4), null);
        one.outputs.split(one.own, one.rows().get(0), List.of(1, 2), null);
        one.outputs.split(one.own, one.rows().get(1), List.of(1), null);

        assertThat(values(one.rows())).containsExactly("t0", "t1", "t2", "t3", "t4");
    }

    @Test
    void manyAreTakenOutOfOneRow() {
        String[] topics = IntStream.range(100, 200).mapToObj(i -> "t" + i).toArray(String[]::new);
        one.emitTo("a", topics);
        for (int last = topics.length - 1; last > 0; last--) {
            one.outputs.split(one.own, one.rows().get(0), List.of(last), null);
        }

        assertThat(one.rows()).hasSize(topics.length);
        assertThat(values(one.rows())).containsExactly(topics);
    }

    /** A part behind each other's first output: only so is the room between them halved. */
    @Test
    void ifNoNumberIsLeftForAPartAllOfTheRowWaits() {
        String[] topics = IntStream.range(100, 200).mapToObj(i -> "t" + i).toArray(String[]::new);
        one.emitTo("a", topics);
        for (int i = 0; i < 40; i++) {
            List<Row> rows = one.rows();
            Row last = rows.get(rows.size() - 1);
            List<Integer> allButFirst = IntStream.range(1, last.items().size()).boxed().toList();
            one.outputs.split(one.own, last, allButFirst, null);
        }
        List<Row> rows = one.rows();
        Row last = rows.get(rows.size() - 1);
        assertThat(last.items()).as("no room is left").hasSizeGreaterThan(2);

        one.outputs.split(one.own, last, List.of(1), "why");

        assertThat(one.outputs.refused(one.own, Place.START, 10))
                .singleElement()
                .satisfies(it -> assertThat(it.row().items()).hasSameSizeAs(last.items()));
    }

    @Test
    void whatWaitsIsTakenOutOfItsRowAndBothKeepPlaceAndOrder() {
        one.emitTo("a", "t0", "t1", "t2", "t3", "t4");
        one.emit("b");
        Row row = one.rows().get(0);

        one.outputs.split(one.own, row, List.of(1, 3), null);

        List<Row> rows = one.rows();
        assertThat(rows).hasSize(3);
        assertThat(rows.get(0).place()).isEqualTo(row.place());
        assertThat(rows.get(1).place().position()).isEqualTo(row.place().position());
        assertThat(rows.get(1).place().part()).isPositive();
        assertThat(values(rows)).containsExactly("t0", "t2", "t4", "t1", "t3", "b");
        assertThat(rows.get(1).items().get(1).origin()).isEqualTo(row.items().get(3).origin());
        assertThat(rows.get(1).items().get(1).lane()).isEqualTo(row.items().get(3).lane());
        assertThat(rows.get(1).items().get(1).key()).isEqualTo(row.items().get(3).key());
        assertThat(rows.get(0).bytes() + rows.get(1).bytes()).isEqualTo(row.bytes());
        assertThat(rows.get(1).bytes()).isEqualTo(2 * row.bytes() / 5);
        assertThat(rows.get(1).createdAt()).isEqualTo(row.createdAt());

        one.outputs.split(one.own, rows.get(1), List.of(0), null);
        one.outputs.split(one.own, rows.get(0), List.of(0), null);
        assertThat(values(one.rows())).containsExactly("t2", "t4", "t0", "t3", "t1", "b");
        assertThat(one.places()).hasSize(5);

        SortedSet<Place> all = one.open();
        one.outputs.close(one.look(), all);
        assertThat(one.values()).as("parts are deleted by their place").isEmpty();
    }

    @Test
    void headersStayWithTheirOutputWhenItIsTakenOut() {
        Output bare = bench.output(1, 1, "out", "bare");
        Output headed =
                new Output(
                        bare.origin(),
                        2,
                        "out",
                        null,
                        null,
                        new RecordHeaders().add("h", new byte[] {7}));
        one.process
                .states()
                .save(List.of(change("a", 0, List.of(headed, bare))), Patience.WAIT, bench.now);

        one.outputs.split(one.own, one.rows().get(0), List.of(0), null);

        List<Row> rows = one.rows();
        assertThat(value(rows.get(0).items().get(0))).isEqualTo("bare");
        assertThat(rows.get(0).items().get(0).headers().toArray()).isEmpty();
        assertThat(rows.get(1).items().get(0).value()).isNull();
        assertThat(rows.get(1).items().get(0).headers().lastHeader("h").value())
                .isEqualTo(new byte[] {7});
    }

    @Test
    void whatKafkaRefusesIsSentNoMoreUntilItIsAskedFor() {
        one.emitTo("a", "t0", "t1", "t2");
        Row row = one.rows().get(0);

        one.outputs.split(one.own, row, List.of(1, 2), "too large");

        assertThat(one.values()).containsExactly("t0");
        List<Refused> refused = one.outputs.refused(one.own, Place.START, 10);
        assertThat(refused).hasSize(1);
        assertThat(refused.get(0).why()).isEqualTo("too large");
        assertThat(refused.get(0).tries()).isEqualTo(1);
        assertThat(values(List.of(refused.get(0).row()))).containsExactly("t1", "t2");
        assertThat(one.outputs.depth(10).outputs()).as("it waits all the same").isEqualTo(3);

        Place place = refused.get(0).row().place();
        one.outputs.refusedAgain(one.own, place, "still too large");
        one.outputs.refusedAgain(one.own, row.place(), "not refused at all");
        Refused again = one.outputs.refused(one.own, Place.START, 10).get(0);
        assertThat(again.why()).isEqualTo("still too large");
        assertThat(again.tries()).isEqualTo(2);
        assertThat(again.since()).isEqualTo(refused.get(0).since());
        assertThat(one.values()).containsExactly("t0");

        one.outputs.open(one.look(), List.of(), new TreeSet<>(List.of(place)));
        one.outputs.close(one.look(), List.of(place));
        assertThat(one.outputs.refused(one.own, Place.START, 10))
                .as("it went in a batch of its own")
                .isEmpty();
    }

    @Test
    void aRowOfWhichAllIsRefusedBecomesThatPartItself() {
        one.emitTo("a", "t0", "t1");
        Row row = one.rows().get(0);

        one.outputs.split(one.own, row, List.of(0, 1), null);
        assertThat(one.places()).as("all of it waits: as before").containsExactly(row.place());
        one.outputs.split(one.own, row, List.of(), "nothing");
        assertThat(one.outputs.refused(one.own, Place.START, 10)).isEmpty();

        one.outputs.split(one.own, row, List.of(1, 0), "no such topic");
        assertThat(one.values()).isEmpty();
        assertThat(one.outputs.refused(one.own, Place.START, 10))
                .singleElement()
                .satisfies(it -> assertThat(it.row().place()).isEqualTo(row.place()));
    }

    @Test
    void refusedRowsAreReadInTheirOrderAndServedByWhoeverTakesOver() {
        one.emit("a");
        one.emit("b");
        one.rows().forEach(row -> one.outputs.split(one.own, row, List.of(0), "why"));

        assertThat(two.outputs.refused(two.own, Place.START, 10)).isEmpty();
        two.takeOver(one, -1);
        assertThat(two.outputs.refused(two.look(), Place.START, 10))
                .extracting(it -> value(it.row().items().get(0)))
                .containsExactly("a", "b");
        List<Refused> first = two.outputs.refused(two.look(), Place.START, 1);
        assertThat(first).hasSize(1);
        assertThat(two.outputs.refused(two.look(), first.get(0).row().place(), 10))
                .extracting(it -> value(it.row().items().get(0)))
                .containsExactly("b");
    }

    @Test
    void noRowIsSplitWhileABatchIsOpenOrByWhoWasTakenOver() {
        one.emitTo("a", "t0", "t1");
        Row row = one.rows().get(0);
        one.open();
        one.outputs.split(one.look(), row, List.of(1), "why");
        assertThat(one.places()).containsExactly(row.place());

        two.takeOver(one, 0);
        one.outputs.split(one.own, row, List.of(1), "why");
        assertThat(two.places()).containsExactly(row.place());
        assertThat(two.outputs.refused(two.look(), Place.START, 10)).isEmpty();

        two.outputs.split(two.look(), row, List.of(1), "why");
        assertThat(two.values()).containsExactly("t0");
    }

    @Test
    void rowsOfSeveralRelaysAreReadInTheOrderOfTheirPlaces() {
        IntStream.range(0, 6).forEach(i -> (i % 2 == 0 ? one : two).emit("key " + i));
        two.takeOver(one, -1);

        assertThat(two.values())
                .containsExactly("key 0", "key 1", "key 2", "key 3", "key 4", "key 5");
        List<Row> few = two.outputs.next(two.look(), List.of(), 3, MUCH);
        assertThat(values(few)).containsExactly("key 0", "key 1", "key 2");
        OutputStore outputs = two.outputs;
        assertThat(outputs.open(two.look(), List.of(), places(few))).isTrue();
        assertThat(outputs.close(two.look(), places(few))).isTrue();
        assertThat(two.values()).containsExactly("key 3", "key 4", "key 5");
    }
}
