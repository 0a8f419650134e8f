package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.StoreFixture.ParkedRecord;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every store of rows owes its callers. */
public abstract class StateStoreContract {

    protected static final Marks MARKS = Marks.NONE.advance(1, new NextOffset(10, 4));

    private StoreFixture fixture;
    private StateStore store;
    private Incarnation now;

    /** A store without a row. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        fixture = open();
        store = fixture.states();
        now = fixture.checkpoints().incarnation();
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    @Test
    void aKeyWithoutARowIsMissingInTheAnswer() {
        assertThat(store.load(List.of("a", "b"), now)).isEmpty();
        assertThat(store.load(List.of(), now)).isEmpty();
    }

    private int introduced() {
        NewSource added =
                new NewSource(
                        new TopicPartition("orders", 0), new Uuid(1, 1), new NextOffset(0, 0));
        return fixture.checkpoints().introduce(List.of(added)).sources().get(0).number();
    }

    private List<Long> parkedOffsets() {
        return fixture.parked().stream().map(ParkedRecord::offset).toList();
    }

    @Test
    void aMessageWithoutARowThatWasDroppedIsNotParkedAgain() {
        int source = introduced();
        Change two =
                Change.ofMessagesWithoutRow(
                        List.of(
                                Messages.parked(source, 5, null),
                                Messages.parked(source, 6, null)));
        save(two);
        fixture.dropWithoutRow(source, 5);

        save(two); // read again, from below

        assertThat(parkedOffsets()).containsExactly(6L);
        Change other = Change.ofMessagesWithoutRow(List.of(Messages.parked(source, 5, 9, null)));
        save(other);
        assertThat(parkedOffsets()).as("behind a cut another one stands there").contains(5L);
    }

    @Test
    void whatStandsBelowTheCheckpointAndHasNoRowIsNotParkedLate() {
        int source = introduced();
        fixture.checkpoints().save(Map.of(source, new NextOffset(6, 5)), now);

        save(
                Change.ofMessagesWithoutRow(
                        List.of(
                                Messages.parked(source, 5, null),
                                Messages.parked(source, 4, 6, null),
                                Messages.parked(source, 6, null))));

        assertThat(parkedOffsets()).as("4 stands behind a cut").containsExactly(4L, 6L);
    }

    @Test
    void howFarRowsWerePurgedIsToldOfKeysWithAndWithoutARow() {
        NewSource added =
                new NewSource(new TopicPartition("t", 0), new Uuid(1, 1), new NextOffset(0, 0));
        int source = fixture.checkpoints().introduce(List.of(added)).sources().get(0).number();
        NextOffset next = new NextOffset(7, 2);
        save(change("a", 0, "1"));
        fixture.purgedTo(source, next);

        Map<String, Snapshot> rows = store.load(List.of("a", "b"), now);
        assertThat(rows.values())
                .extracting(Snapshot::purged)
                .containsExactly(
                        Marks.NONE.advance(source, next), Marks.NONE.advance(source, next));
        assertThat(load("a").marks()).isEqualTo(MARKS);
        assertThat(load("a").version()).isEqualTo(1);
        assertThat(load("b").isAbsent()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Patience.class)
    void aRowIsInsertedAndUpdatedAndItsVersionGrowsByOne(Patience patience) {
        assertThat(store.save(List.of(change("a", 0, "{\"n\":1}")), patience, now))
                .containsExactly(true);
        assertThat(load("a").version()).isEqualTo(1);

        Marks moved = MARKS.advance(2, new NextOffset(7, NextOffset.NO_EPOCH));
        Change second =
                new Change("a", 1, bytes("{\"n\":2}"), moved, new byte[] {0, 9}, 0, List.of());
        assertThat(store.save(List.of(second), patience, now)).containsExactly(true);

        Snapshot row = load("a");
        assertThat(row.version()).isEqualTo(2);
        assertThat(row.state()).isEqualTo(bytes("{\"n\":2}"));
        assertThat(row.marks()).isEqualTo(moved);
        assertThat(row.ids()).isEqualTo(new byte[] {0, 9});
    }

    @Test
    void aDeletedKeyKeepsItsMarks() {
        save(change("a", 0, "{}"));
        save(change("a", 1, null));

        Snapshot row = load("a");
        assertThat(row.state()).isNull();
        assertThat(row.ids()).isNull();
        assertThat(row.marks()).isEqualTo(MARKS);
        assertThat(row.isAbsent()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Patience.class)
    void aChangeFromAnotherVersionIsLeftOutAndTheOthersAreSaved(Patience patience) {
        save(change("old", 0, "1"), change("right", 0, "1"));
        save(change("old", 1, "2"));

        boolean[] saved =
                store.save(
                        List.of(
                                change("right", 1, "3"),
                                change("old", 1, "3"),
                                change("new", 0, "3"),
                                change("gone", 8, "3")),
                        patience,
                        now);

        assertThat(saved).containsExactly(true, false, true, false);
        assertThat(state("right")).isEqualTo("3");
        assertThat(state("old")).isEqualTo("2");
        assertThat(load("old").version()).isEqualTo(2);
        assertThat(state("new")).isEqualTo("3");
        assertThat(store.load(List.of("gone"), now)).isEmpty();
    }

    @Test
    void theSecondInsertOfAKeyIsLeftOut() {
        save(change("a", 0, "1"));

        boolean[] saved =
                store.save(List.of(change("b", 0, "2"), change("a", 0, "2")), Patience.WAIT, now);

        assertThat(saved).containsExactly(true, false);
        assertThat(state("a")).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource(Patience.class)
    void messagesAreParkedOnlyWithAChangeThatIsSaved(Patience patience) {
        save(change("a", 0, "1"), change("b", 0, "1"));
        save(change("b", 1, "2"));

        boolean[] saved =
                store.save(
                        List.of(
                                parking(
                                        "a",
                                        1,
                                        Messages.parked(1, 20, "a"),
                                        Messages.parked(1, 21, "a")),
                                parking("b", 1, Messages.parked(1, 22, "b")),
                                parking("c", 0, Messages.parked(1, 23, "c")),
                                Change.ofMessagesWithoutRow(List.of(Messages.parked(2, 20, null)))),
                        patience,
                        now);

        assertThat(saved).containsExactly(true, false, true, true);
        assertThat(fixture.parked())
                .containsExactlyInAnyOrder(
                        new ParkedRecord("a", 1, 20, "value 20", "undecodable"),
                        new ParkedRecord("a", 1, 21, "value 21", "undecodable"),
                        new ParkedRecord("c", 1, 23, "value 23", "undecodable"),
                        new ParkedRecord("", 2, 20, "value 20", "undecodable"));
    }

    @Test
    void aMessageIsParkedOnce() {
        Change parking = Change.ofMessagesWithoutRow(List.of(Messages.parked(1, 5, null)));

        assertThat(store.save(List.of(parking), Patience.WAIT, now)).containsExactly(true);
        assertThat(store.save(List.of(parking), Patience.WAIT, now)).containsExactly(true);

        assertThat(fixture.parked()).hasSize(1);
    }

    @Test
    void behindACutTheOtherMessageOfThatOffsetIsParkedToo() {
        save(parking("a", 0, Messages.parked(1, 5, 5, "a")));
        save(parking("b", 0, Messages.parked(1, 5, 6, "b")));

        assertThat(fixture.parked()).extracting(ParkedRecord::rowKey).containsExactly("a", "b");
    }

    @Test
    void theMessagesOfAKeyAreParkedInTheirOrder() {
        ParkedMessage[] messages =
                IntStream.range(0, 300)
                        .mapToObj(i -> Messages.parked(1, 1_000 - i, "a"))
                        .toArray(ParkedMessage[]::new);
        save(parking("a", 0, messages));

        assertThat(fixture.parked())
                .extracting(ParkedRecord::offset)
                .isSortedAccordingTo(Collections.reverseOrder())
                .hasSize(300);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"a\":}",
                "nul",
                "\"open",
                "[1,]",
                "{'a':1}",
                "1 2",
                "01",
                "\"\u0001\"",
                "\u0000"
            })
    void aStateThatIsNoJsonIsARowFaultAndNothingIsSaved(String state) {
        assertThatThrownBy(
                        () ->
                                store.save(
                                        List.of(change("a", 0, "1"), change("b", 0, state)),
                                        Patience.WAIT,
                                        now))
                .isInstanceOf(StoreException.RowFault.class);
        assertThat(store.load(List.of("a", "b"), now)).isEmpty();
    }

    @Test
    void aStateThatIsNoTextIsARowFault() {
        byte[] state = {'"', (byte) 0xff, '"'};
        Change change = new Change("a", 0, state, MARKS, null, 0, List.of());

        assertThatThrownBy(() -> store.save(List.of(change), Patience.WAIT, now))
                .isInstanceOf(StoreException.RowFault.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"with\u0000nul", "half \ud800 pair", "\udc00"})
    void aKeyThatIsNoTextIsARowFaultAndNothingIsSaved(String key) {
        assertThatThrownBy(
                        () ->
                                store.save(
                                        List.of(change("a", 0, "1"), change(key, 0, "1")),
                                        Patience.SKIP,
                                        now))
                .isInstanceOf(StoreException.RowFault.class);
        assertThat(store.load(List.of("a"), now)).isEmpty();
    }

    @Test
    void aKeyLongerThanAnIndexEntryIsARowFault() {
        Change change = change(incompressible(4_000), 0, "1");

        assertThatThrownBy(() -> store.save(List.of(change), Patience.WAIT, now))
                .isInstanceOf(StoreException.RowFault.class)
                .hasMessageNotContaining(change.key().substring(0, 20));
    }

    @Test
    void everyTextIsAKeyOfItsOwn() {
        List<String> keys =
                List.of(
                        "",
                        " ",
                        "\u00e9",
                        "e\u0301",
                        "A",
                        "a",
                        "\ud83d\ude00",
                        "\uffee",
                        "o'clock",
                        "say \"hi\"",
                        "back\\slash",
                        "{a,b}",
                        "NULL",
                        "?",
                        "line\r\nbreak",
                        "\u202ertl",
                        incompressible(2_000));
        List<Change> changes = keys.stream().map(key -> change(key, 0, quoted(key))).toList();
        assertThat(store.save(changes, Patience.WAIT, now)).doesNotContain(false);
        List<Change> again = keys.stream().map(key -> change(key, 1, quoted(key))).toList();
        assertThat(store.save(again, Patience.SKIP, now)).doesNotContain(false);

        Map<String, Snapshot> rows = store.load(keys, now);
        assertThat(rows).containsOnlyKeys(keys);
        rows.forEach(
                (key, row) -> {
                    assertThat(row.key()).isEqualTo(key);
                    assertThat(row.state()).isEqualTo(bytes(quoted(key)));
                    assertThat(row.version()).isEqualTo(2);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "\"\ud83d\ude00\"",
                "\"\\ud83d\\ude00 \\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u0001\"",
                "{\"a\":{\"b\":[]},\"a\":1,\"\":-0.0}",
                " [ 1e400 , 123456789012345678901234567890.12345 ] ",
                "1e131071",
                "1e-16383"
            })
    void anAcceptedStateCastsToJsonb(String state) {
        save(change("a", 0, state));

        assertThat(state("a")).isEqualTo(state);
        assertThat(fixture.castsToJsonb("a")).isTrue();
    }

    @Test
    void tenThousandRowsAreSavedAtOnceAndTellWhichWereNot() {
        List<Change> inserts = rows(10_000, 0);
        assertThat(store.save(inserts, Patience.WAIT, now)).doesNotContain(false);
        save(change("key 7", 1, "0"));
        List<Change> updates = rows(10_001, 1);
        Collections.shuffle(updates, new Random(1));

        boolean[] saved = store.save(updates, Patience.WAIT, now);

        for (int i = 0; i < saved.length; i++) {
            String key = updates.get(i).key();
            assertThat(saved[i])
                    .as(key)
                    .isEqualTo(!key.equals("key 7") && !key.equals("key 10000"));
        }
        List<String> keys = updates.stream().map(Change::key).toList();
        assertThat(store.load(keys, now).values())
                .hasSize(10_000)
                .allMatch(row -> row.version() == 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 12_000})
    void manyNewRowsAreSavedAndOneThatIsThereAlreadyIsLeftOutAlone(int count) {
        List<Change> first = new ArrayList<>();
        List<Change> second = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            first.add(change("first " + i, 0, i % 2 == 0 ? null : "{\"n\":" + i + "}"));
            second.add(change(i == count - 1 ? "first 7" : "second " + i, 0, "2"));
        }

        assertThat(store.save(first, Patience.WAIT, now)).doesNotContain(false);
        boolean[] saved = store.save(second, Patience.WAIT, now);

        assertThat(saved[count - 1]).isFalse();
        assertThat(Arrays.copyOf(saved, count - 1)).doesNotContain(false);
        assertThat(state("first 7")).isEqualTo("{\"n\":7}");
        assertThat(load("first 8").version()).isEqualTo(1);
        assertThat(load("first 8").state()).isNull();
        assertThat(load("first 8").marks()).isEqualTo(MARKS);
        assertThat(state("second 0")).isEqualTo("2");
    }

    @Test
    void aFaultInOneStatementOfAManyUndoesAllOfThem() {
        List<Change> changes = rows(7_000, 0);
        changes.set(6_999, change("key 6999", 0, "no JSON"));

        assertThatThrownBy(() -> store.save(changes, Patience.WAIT, now))
                .isInstanceOf(StoreException.RowFault.class);
        assertThat(store.load(changes.stream().map(Change::key).toList(), now)).isEmpty();
    }

    @Test
    void nothingIsReadOrSavedInAnotherIncarnation() {
        Incarnation other = new Incarnation("another");

        assertThatThrownBy(() -> store.load(List.of("a"), other))
                .isInstanceOf(OtherIncarnationException.class);
        for (Patience patience : Patience.values()) {
            assertThatThrownBy(() -> store.save(List.of(change("a", 0, "1")), patience, other))
                    .isInstanceOf(OtherIncarnationException.class);
        }
        assertThat(store.load(List.of("a"), now)).isEmpty();
    }

    @Test
    void ofTwoThatInsertTheSameKeysEachKeyHasOneWinner() throws InterruptedException {
        List<Change> mine = rows(2_000, 0);
        List<Change> theirs = new ArrayList<>(mine);
        Collections.reverse(theirs);
        boolean[][] saved = new boolean[2][];
        Thread other = new Thread(() -> saved[1] = store.save(theirs, Patience.WAIT, now));
        other.start();
        saved[0] = store.save(mine, Patience.WAIT, now);
        other.join();

        for (int i = 0; i < 2_000; i++) {
            assertThat(saved[0][i] ^ saved[1][1_999 - i]).as("key %d", i).isTrue();
        }
    }

    protected final Snapshot load(String key) {
        return store.load(List.of(key), now).getOrDefault(key, Snapshot.absent(key));
    }

    private String state(String key) {
        byte[] state = load(key).state();
        return state == null ? "absent" : new String(state, StandardCharsets.UTF_8);
    }

    private void save(Change... changes) {
        assertThat(store.save(Arrays.asList(changes), Patience.WAIT, now)).doesNotContain(false);
    }

    protected static Change change(String key, long fromVersion, @Nullable String state) {
        return new Change(
                key, fromVersion, state == null ? null : bytes(state), MARKS, null, 0, List.of());
    }

    private static Change parking(String key, long fromVersion, ParkedMessage... messages) {
        return new Change(key, fromVersion, bytes("{}"), MARKS, null, 0, List.of(messages));
    }

    protected static List<Change> rows(int count, long fromVersion) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            changes.add(change("key " + i, fromVersion, "{\"balance\":" + i + "}"));
        }
        return changes;
    }

    private static String quoted(String key) {
        return '"'
                + key.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\r", "\\r")
                        .replace("\n", "\\n")
                + '"';
    }

    private static String incompressible(int length) {
        StringBuilder text = new StringBuilder();
        new Random(7).ints(length, '!', '~').forEach(c -> text.append((char) c));
        return text.toString();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
