package dev.envelope.idempotency.store;

import static dev.envelope.idempotency.store.OutputBench.MANY;
import static dev.envelope.idempotency.store.OutputBench.MUCH;
import static dev.envelope.idempotency.store.OutputBench.TOPIC;
import static dev.envelope.idempotency.store.OutputBench.change;
import static dev.envelope.idempotency.store.OutputBench.value;
import static dev.envelope.idempotency.store.OutputBench.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.OutputBench.Sender;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every store of outputs owes the workers that save them, and the relay that reads them. */
public abstract class OutputStoreContract {

    private static final RecordHeaders NONE = new RecordHeaders();

    private static final Incarnation ANOTHER = new Incarnation("another");

    private OutputBench bench;
    private Sender one;

    /** A store without a row. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        bench = new OutputBench(open());
        one = bench.new Sender("one");
    }

    @AfterEach
    void closeStore() {
        bench.close();
    }

    private boolean[] save(Patience patience, Change... changes) {
        return one.process.states().save(List.of(changes), patience, bench.now);
    }

    private Change emitting(String key, long fromVersion, String... values) {
        List<Output> outputs = new ArrayList<>();
        for (String value : values) {
            outputs.add(bench.output(1, 1 + outputs.size(), "out", value));
        }
        return change(key, fromVersion, outputs);
    }

    @ParameterizedTest
    @EnumSource(Patience.class)
    void outputsAreWrittenOnlyWithAChangeThatIsSaved(Patience patience) {
        save(Patience.WAIT, emitting("a", 0), emitting("b", 0));
        save(Patience.WAIT, emitting("b", 1));

        boolean[] saved =
                save(
                        patience,
                        emitting("a", 1, "a1", "a2"),
                        emitting("b", 1, "b1"),
                        emitting("c", 0, "c1"));

        assertThat(saved).containsExactly(true, false, true);
        assertThat(one.values()).containsExactlyInAnyOrder("a1", "a2", "c1");
        assertThat(one.rows()).as("one row for one save").hasSize(1);
        assertThat(one.rows().get(0).bytes())
                .isEqualTo(one.rows().get(0).items().stream().mapToLong(Item::bytes).sum());
    }

    @ParameterizedTest
    @EnumSource(Patience.class)
    void ofChangesThatAllWinEveryOutputIsWrittenAndOfLosersNone(Patience patience) {
        boolean[] won = save(patience, emitting("a", 0, "a1"), emitting("b", 0, "b1", "b2"));
        assertThat(won).containsExactly(true, true);
        assertThat(one.values()).containsExactlyInAnyOrder("a1", "b1", "b2");

        boolean[] lost = save(patience, emitting("a", 7, "a7"), emitting("b", 0, "b7"));
        assertThat(lost).containsExactly(false, false);
        assertThat(one.values()).containsExactlyInAnyOrder("a1", "b1", "b2");
    }

    @Test
    void outputsOfManyNewRowsAreWrittenWithThem() {
        Change[] many =
                IntStream.range(0, 300)
                        .mapToObj(i -> emitting("key " + i, 0, "value " + i))
                        .toArray(Change[]::new);
        assertThat(save(Patience.WAIT, many)).doesNotContain(false);
        assertThat(one.values()).hasSize(300).contains("value 0", "value 299");
        assertThat(one.rows()).allMatch(row -> row.items().size() == 300);

        many[17] = emitting("key 17", 0, "again");
        boolean[] saved = save(Patience.WAIT, many);
        assertThat(saved).containsOnly(false);
        assertThat(one.values()).hasSize(300).doesNotContain("again");
    }

    @Test
    void aRowAtFaultUndoesTheOutputsOfAllThatIsSavedWithIt() {
        assertThatThrownBy(
                        () -> save(Patience.WAIT, emitting("a", 0, "a1"), emitting("b\0", 0, "b1")))
                .isInstanceOf(StoreException.class);

        assertThat(one.values()).isEmpty();
    }

    @Test
    void anOutputIsTheSameWhenItIsReadAsWhenItWasWritten() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("trace", new byte[] {0, -1, 7});
        headers.add("trace", null);
        Output written =
                new Output(
                        Messages.parked(bench.source, 42, 6, "a").message(),
                        3,
                        "out",
                        new byte[] {0, -1},
                        new byte[] {9, 0, -1},
                        headers);
        Output bare =
                new Output(
                        Messages.parked(bench.source, 43, -1, "a").message(),
                        Output.CHANGELOG,
                        "changes",
                        null,
                        null,
                        new RecordHeaders());
        save(Patience.WAIT, change("a", 0, List.of(written, bare)));

        Row row = one.rows().get(0);
        assertThat(row.bytes()).isEqualTo(written.bytes() + bare.bytes());
        Item read = row.items().get(0);
        assertThat(read.lane()).isEqualTo(Output.lane("a", "out"));
        assertThat(read.origin()).isEqualTo(new Origin(TOPIC, 0, 0, 42, 6, 3));
        assertThat(read.topic()).isEqualTo("out");
        assertThat(read.key()).isEqualTo(new byte[] {0, -1});
        assertThat(read.value()).isEqualTo(new byte[] {9, 0, -1});
        assertThat(read.headers().toArray())
                .containsExactly(
                        new Header[] {
                            new RecordHeader("trace", new byte[] {0, -1, 7}),
                            new RecordHeader("trace", null)
                        });
        Item second = row.items().get(1);
        assertThat(second.lane()).isEqualTo(Output.lane("a", "changes"));
        assertThat(second.origin()).isEqualTo(new Origin(TOPIC, 0, 0, 43, -1, 0));
        assertThat(second.key()).isNull();
        assertThat(second.value()).isNull();
        assertThat(second.headers().toArray()).isEmpty();
    }

    @Test
    void anOutputIsOfTheSameOriginAlsoOnceAnotherTopicIsAdopted() {
        one.emit("a");
        bench.fixture.checkpoints().adopt("orders", TOPIC, new Uuid(8, 12));
        bench.fixture.checkpoints().adopt("orders", new Uuid(8, 12), new Uuid(9, 13));
        Sender two = bench.new Sender("two");
        two.emit("b");

        Origin expected = new Origin(TOPIC, 0, 0, 1, 5, 1);
        assertThat(one.rows().get(0).items().get(0).origin()).isEqualTo(expected);
        assertThat(two.rows().get(0).items().get(0).origin()).isEqualTo(expected);
    }

    @Test
    void anOutputOfARowIsNamedByTheRowAndNotByTheNumberOfItsReading() {
        List<Output> outputs =
                Stream.of(
                                Messages.row(bench.source, 7, "x", "1"),
                                Messages.row(bench.source, 8, "x", "1"),
                                Messages.row(bench.source, 9, "y", "1"),
                                Messages.row(bench.source, 10, "x", "2")) // its id came again
                        .map(it -> new Output(it, 1, "out", null, null, NONE))
                        .toList();
        save(Patience.WAIT, change("a", 0, outputs));

        List<Origin> origins = one.rows().get(0).items().stream().map(Item::origin).toList();
        assertThat(origins.get(1)).isEqualTo(origins.get(0));
        assertThat(origins.subList(1, 4)).doesNotHaveDuplicates();
    }

    @Test
    void headersStayWithTheirOutputAlsoIfOthersLoseAndNoneIsNeeded() {
        save(Patience.WAIT, emitting("b", 0));
        Output headed =
                new Output(
                        Messages.parked(bench.source, 1, "a").message(),
                        1,
                        "out",
                        null,
                        new byte[] {'a'},
                        new RecordHeaders().add("h", new byte[] {1}));
        save(
                Patience.WAIT,
                emitting("a", 0, "bare"),
                emitting("b", 0, "loses"),
                change("c", 0, List.of(headed)));
        save(Patience.WAIT, emitting("b", 0, "loses"), emitting("d", 0, "none has any"));

        List<Row> rows = one.rows();
        assertThat(rows).hasSize(2);
        assertThat(rows.get(0).items())
                .allSatisfy(
                        item ->
                                assertThat(item.headers().toArray())
                                        .hasSize(value(item).equals("a") ? 1 : 0))
                .hasSize(2);
        assertThat(rows.get(1).items()).hasSize(1);
        assertThat(rows.get(1).items().get(0).headers().toArray()).isEmpty();
    }

    @Test
    void theOutputsOfAKeyAreReadInTheOrderInWhichTheyWereSaved() {
        String[] values =
                IntStream.range(0, 200).mapToObj(i -> "a" + (500 - i)).toArray(String[]::new);
        save(Patience.WAIT, emitting("a", 0, values));
        save(Patience.WAIT, emitting("a", 1, "last"), emitting("b", 0, "b"));

        List<String> expected = new ArrayList<>(List.of(values));
        expected.add("last");
        assertThat(one.values())
                .filteredOn(it -> !it.equals("b"))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void ofManyRowsSoManyAreReadAsFitButNeverNone() {
        String large = "x".repeat(100_000);
        save(Patience.WAIT, emitting("a", 0, large, large, large));
        save(Patience.WAIT, emitting("b", 0, "b1", "b2"));
        save(Patience.WAIT, emitting("c", 0, large));

        assertThat(next(10, MUCH)).hasSize(3);
        assertThat(next(5, MUCH)).hasSize(2);
        assertThat(next(4, MUCH)).hasSize(1);
        assertThat(next(1, 1)).as("never none").hasSize(1);
        assertThat(next(10, 310_000)).hasSize(2);
    }

    @Test
    void rowsThatAreLeftOutTakeNoRoomFromTheOthers() {
        one.emit("a");
        one.emit("b");
        one.emit("c");
        List<Place> two = List.copyOf(one.places()).subList(0, 2);

        List<Row> next = one.outputs.next(one.own, two, 1, 1);
        assertThat(values(next)).containsExactly("c");
    }

    private List<Row> next(int most, long maxBytes) {
        return one.outputs.next(one.own, List.of(), most, maxBytes);
    }

    @Test
    void aRelayReadsItsOwnRowsAlone() {
        Sender two = bench.new Sender("two");
        one.emit("a");
        two.emit("b");

        assertThat(one.values()).containsExactly("a");
        assertThat(two.values()).containsExactly("b");
        assertThat(one.own.number()).isNotEqualTo(two.own.number());
    }

    @Test
    void whatIsSavedBeforeARelayIsRegisteredIsOfTheRelayThatAnyMayTakeOver() {
        StoreFixture.Started early = bench.fixture.start("early");
        early.states().save(List.of(emitting("a", 0, "early")), Patience.WAIT, bench.now);

        assertThat(one.values()).isEmpty();
        List<OutputStore.Gone> gone = one.outputs.gone(one.own, OutputBench.HOUR);
        assertThat(gone).extracting(OutputStore.Gone::number).containsExactly(0);
        assertThat(one.outputs.takeOver(one.own, gone.get(0), -1, OutputBench.HOUR)).isTrue();
        assertThat(one.values()).containsExactly("early");

        Own own = early.outputs().register();
        early.states().save(List.of(emitting("b", 0, "later")), Patience.WAIT, bench.now);
        assertThat(values(early.outputs().next(own, List.of(), MANY, MUCH)))
                .containsExactly("later");
        bench.fixture
                .start("as early")
                .states()
                .save(List.of(emitting("c", 0, "as early")), Patience.WAIT, bench.now);
        assertThat(one.values()).as("served from now on").containsExactly("early", "as early");
    }

    @Test
    void whatARedriveEmitsIsWrittenWithTheRowOrNotAtAll() {
        ParkedMessage parked = Messages.parked(bench.source, 5, "a");
        Change change = new Change("a", 0, null, Marks.NONE, null, 0, List.of(parked));
        save(Patience.WAIT, change);
        Snapshot row =
                Objects.requireNonNull(one.process.states().load(List.of("a"), bench.now).get("a"));
        List<Long> positions = one.process.parked().positions("a", Long.MAX_VALUE, 10);
        HandlerEffects effects =
                HandlerEffects.of(
                        List.of(bench.output(5, 1, "out", "a1"), bench.output(5, 2, "x", "a2")));

        Snapshot stale = new Snapshot("a", 9, null, row.marks(), null, 0);
        assertThat(bench.fixture.redrives(one.process, stale, positions, effects)).isFalse();
        assertThat(one.values()).isEmpty();

        Snapshot next = row.unparked(1);
        assertThat(bench.fixture.redrives(one.process, next, positions, effects)).isTrue();
        assertThat(bench.fixture.redrives(one.process, next, positions, effects)).isFalse();
        assertThat(one.values()).containsExactly("a1", "a2");
        assertThat(one.rows().get(0).items().get(1).lane()).isEqualTo(Output.lane("a", "x"));
    }

    @Test
    void itSaysHowMuchWaitsAndCountsNoFurtherThanAsked() {
        assertThat(one.outputs.depth(10)).isEqualTo(Waiting.NOTHING);
        save(Patience.WAIT, emitting("a", 0, "a1", "a2"));
        bench.new Sender("two").emit("b");

        Waiting all = one.outputs.depth(10);
        assertThat(all.outputs()).isEqualTo(3);
        assertThat(all.bytes())
                .isEqualTo(
                        bench.output(1, 1, "out", "a1").bytes() * 2
                                + bench.output(1, 1, "out", "b").bytes());
        assertThat(all.oldest()).isGreaterThanOrEqualTo(Duration.ZERO).isLessThan(OutputBench.HOUR);
        assertThat(one.outputs.depth(1).outputs()).isLessThan(3);
    }

    @Test
    void inAnotherIncarnationNothingIsReadOrWritten() {
        one.emit("a");
        Row row = one.rows().get(0);
        Place place = row.place();
        TreeSet<Place> places = new TreeSet<>(List.of(place));
        one.outputs.split(one.own, row, List.of(0), "too large");
        Own own = new Own(one.own.number(), 0, List.of(), ANOTHER);
        OutputStore.Gone gone = new OutputStore.Gone(0, List.of(), 0, false);
        Map<String, Runnable> calls =
                Map.ofEntries(
                        Map.entry("under", () -> one.outputs.under(own, List.of("id"))),
                        Map.entry("alive", () -> one.outputs.alive(own)),
                        Map.entry("leave", () -> one.outputs.leave(own)),
                        Map.entry("next", () -> one.outputs.next(own, List.of(), 1, 1)),
                        Map.entry(
                                "before", () -> one.outputs.before(own, 1, List.of(), List.of(1))),
                        Map.entry("open", () -> one.outputs.open(own, places, places)),
                        Map.entry("close", () -> one.outputs.close(own, places)),
                        Map.entry("sent", () -> one.outputs.sent(own, places)),
                        Map.entry("split", () -> one.outputs.split(own, row, List.of(0), "why")),
                        Map.entry("refused", () -> one.outputs.refused(own, Place.START, 1)),
                        Map.entry("again", () -> one.outputs.refusedAgain(own, place, "why")),
                        Map.entry("look", () -> one.outputs.look(own)),
                        Map.entry("gone", () -> one.outputs.gone(own, Duration.ZERO)),
                        Map.entry(
                                "takeOver",
                                () -> one.outputs.takeOver(own, gone, 1, Duration.ZERO)),
                        Map.entry("resolved", () -> one.outputs.resolved(own, 9)));

        calls.forEach(
                (name, call) ->
                        assertThatThrownBy(call::run)
                                .as(name)
                                .isInstanceOf(OtherIncarnationException.class));

        assertThat(one.look()).isEqualTo(one.own);
        assertThat(one.outputs.refused(one.own, Place.START, 10))
                .singleElement()
                .satisfies(it -> assertThat(it.tries()).isEqualTo(1));
        assertThatThrownBy(
                        () ->
                                one.process
                                        .states()
                                        .save(
                                                List.of(emitting("b", 0, "b")),
                                                Patience.WAIT,
                                                ANOTHER))
                .isInstanceOf(OtherIncarnationException.class);
        assertThat(one.outputs.depth(10).outputs()).isEqualTo(1);
    }
}
