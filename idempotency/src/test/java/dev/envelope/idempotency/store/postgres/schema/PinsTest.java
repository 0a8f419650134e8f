package dev.envelope.idempotency.store.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.RowKeys;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.RowKeyPins;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PinsTest {

    private static final NullKeys REJECT = new NullKeys.Reject();

    private final TestServer server = TestServer.shared();
    private final PostgresSettings settings = server.newMigratedSettings();
    private final Pins pins = new Pins(settings);

    private static SortedMap<String, String> values(String... namesAndValues) {
        SortedMap<String, String> values = new TreeMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return values;
    }

    private static SortedMap<String, String> keys(
            RowKeys.Scope scope, String format, NullKeys nullKeys) {
        return RowKeyPins.of(scope, format, nullKeys);
    }

    private Map<String, String> stored() {
        Map<String, String> stored = new TreeMap<>();
        pins.stored().forEach((name, pin) -> stored.put(name, pin.value()));
        return stored;
    }

    private void row(String key) {
        server.execute(
                "INSERT INTO %s.state (key, version, marks) VALUES ('%s', 1, '')"
                        .formatted(settings.schema(), key));
    }

    /** So many that some are not looked at. */
    private void rows(String... prefixes) {
        for (String prefix : prefixes) {
            server.execute(
                    ("INSERT INTO %s.state (key, version, marks)"
                                    + " SELECT '%s' || i, 1, '' FROM generate_series(100, 499) AS i")
                            .formatted(settings.schema(), prefix));
        }
    }

    private void source(String topic) {
        server.execute(
                "INSERT INTO %s.source (topic, partition, topic_id, start_offset, start_epoch)"
                                .formatted(settings.schema())
                        + " VALUES ('"
                        + topic
                        + "', 0, gen_random_uuid(), 0, 0)");
    }

    @Test
    void theFirstStartWritesThemDownAndALaterOneWithOthersIsToldBothValues() {
        SortedMap<String, String> first = keys(RowKeys.Scope.APPLICATION, "string", REJECT);
        assertThat(pins.claim(first)).isEmpty();
        assertThat(pins.claim(first)).isEmpty();

        List<PinMismatch> mismatches = pins.claim(keys(RowKeys.Scope.TOPIC, "long", REJECT));

        assertThat(mismatches)
                .extracting(it -> it.name() + " " + it.stored() + " " + it.configured())
                .containsExactly("key.format string long", "key.scope application topic");
        assertThat(mismatches.get(0).sentence(RowKeyPins.remedy(mismatches.get(0))))
                .startsWith("key.format is long, but the rows of the schema " + settings.schema())
                .contains("were made with string (pinned 2", "Z by test-1): set key.format=string;")
                .contains("envelope pin -c FILE --yes");
        assertThat(stored()).isEqualTo(first);
        assertThatThrownBy(
                        () ->
                                pins.require(
                                        keys(RowKeys.Scope.TOPIC, "string", REJECT),
                                        RowKeyPins::remedy))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("key.scope is topic");
    }

    @Test
    void ofFirstStartsThatRaceOneWinsWithAllThatItClaims() {
        List<CompletableFuture<List<PinMismatch>>> starts =
                IntStream.range(0, 6)
                        .mapToObj(i -> values("a", "a" + i, "b", "b" + i))
                        .map(mine -> CompletableFuture.supplyAsync(() -> pins.claim(mine)))
                        .toList();

        List<List<PinMismatch>> answers = starts.stream().map(CompletableFuture::join).toList();

        assertThat(answers).filteredOn(List::isEmpty).hasSize(1);
        assertThat(answers).filteredOn(each -> !each.isEmpty()).allMatch(it -> it.size() == 2);
        int winner = IntStream.range(0, 6).filter(i -> answers.get(i).isEmpty()).sum();
        assertThat(stored()).isEqualTo(values("a", "a" + winner, "b", "b" + winner));
    }

    @Test
    void whereOneDoesNotFitNoneIsWrittenDown() {
        assertThat(pins.claim(values("handler.version", "1"))).isEmpty();

        assertThat(pins.claim(values("handler.fold.sum", "sum(/a)", "handler.version", "2")))
                .extracting(PinMismatch::name)
                .containsExactly("handler.version");
        assertThat(stored()).isEqualTo(values("handler.version", "1"));

        assertThat(pins.claim(values("handler.fold.sum", "sum(/a)"))).isEmpty(); // not given
        assertThat(stored())
                .isEqualTo(values("handler.fold.sum", "sum(/a)", "handler.version", "1"));
    }

    @Test
    void whatMayBeSetAndIsNotFitsOnlyWhereNothingIsWrittenDown() {
        assertThat(pins.claim(values("handler.version", Pins.UNSET))).isEmpty();
        assertThat(stored()).isEmpty();
        assertThat(pins.claim(values("handler.version", "1"))).isEmpty();

        assertThat(pins.claim(values("handler.version", Pins.UNSET)))
                .singleElement()
                .extracting(it -> it.sentence("x"))
                .asString()
                .startsWith("handler.version is not set, but the rows of the schema")
                .contains("were made with 1");
        assertThat(stored()).isEqualTo(values("handler.version", "1"));

        pins.confirm(values("handler.version", Pins.UNSET));
        assertThat(pins.claim(values("handler.version", Pins.UNSET))).isEmpty();
        assertThat(stored()).isEmpty();
    }

    @Test
    void anOperatorConfirmsChosenNamesAndWhatTheyReplaceStaysOnRecord() {
        pins.claim(values("a", "1", "b", "1"));

        pins.confirm(values("a", "2"));
        pins.confirm(values("a", "2", "c", "3"));

        assertThat(stored()).isEqualTo(values("a", "2", "b", "1", "c", "3"));
        assertThat(pins.stored().get("a"))
                .satisfies(it -> assertThat(it.formerly()).isEqualTo("1"))
                .satisfies(it -> assertThat(it.by()).isEqualTo("test-1"));
        assertThat(pins.compare(values("a", "2", "b", "1", "c", "3"))).isEmpty();
    }

    @Test
    void theFirstNumberOfRowsForRecordsWithoutAKeyHoldsForEver() {
        RowKeys.Scope scope = RowKeys.Scope.APPLICATION;
        assertThat(pins.claim(keys(scope, "string", REJECT))).isEmpty();
        assertThat(pins.claim(keys(scope, "string", new NullKeys.Spread(64)))).isEmpty();

        assertThat(pins.claim(keys(scope, "string", new NullKeys.Spread(65))))
                .extracting(RowKeyPins::remedy)
                .singleElement()
                .asString()
                .startsWith("set null.key.spread=64, or on.null.key=reject to give them no rows;");
        assertThat(pins.claim(keys(scope, "string", new NullKeys.Partition())))
                .extracting(RowKeyPins::remedy)
                .singleElement()
                .asString()
                .startsWith("set on.null.key=spread, or on.null.key=reject");
        assertThat(pins.claim(keys(scope, "string", REJECT))).isEmpty();
    }

    @Test
    void recordsWithoutAKeyThatWereOneRowForEachPartitionAreNeverSpread() {
        RowKeys.Scope scope = RowKeys.Scope.APPLICATION;
        assertThat(pins.claim(keys(scope, "string", new NullKeys.Partition()))).isEmpty();

        assertThat(pins.claim(keys(scope, "string", new NullKeys.Spread(64))))
                .extracting(PinMismatch::stored)
                .containsExactly("partition");
    }

    @Test
    void whatAProgramOfVersion7WritesDownWhileThisOneRunsCountsToo() {
        pins.claim(keys(RowKeys.Scope.APPLICATION, "string", REJECT));
        server.execute("UPDATE " + settings.schema() + ".application SET null_key_spread = 8");

        NullKeys another = new NullKeys.Spread(9);
        assertThat(pins.claim(keys(RowKeys.Scope.APPLICATION, "string", another)))
                .extracting(it -> it.name() + " " + it.stored() + " " + it.configured())
                .containsExactly("null.key.spread 8 9");
        NullKeys same = new NullKeys.Spread(8);
        assertThat(pins.claim(keys(RowKeys.Scope.APPLICATION, "string", same))).isEmpty();
    }

    @Test
    void rowsThatAreOlderThanThePinsAreBelievedWhereTheyShowWhatMadeThem() {
        source("orders");
        rows("a-", "z-");

        assertThat(pins.compare(keys(RowKeys.Scope.TOPIC, "string", REJECT)))
                .extracting(it -> it.name() + " " + it.stored())
                .containsExactly("key.scope application");
        assertThat(pins.compare(keys(RowKeys.Scope.APPLICATION, "long", REJECT)))
                .extracting(PinMismatch::reason)
                .singleElement()
                .asString()
                .endsWith("has a row that it can't have made, \"a-100\"");
        assertThat(pins.stored()).isEmpty();
        assertThat(pins.claim(keys(RowKeys.Scope.APPLICATION, "string", REJECT))).isEmpty();
        assertThat(pins.stored()).hasSize(2);
    }

    @Test
    void oneRowOfATopicAmongManyWithoutIsSeen() {
        source("orders");
        rows("a-", "z-");
        row("orders/a-1");

        assertThat(pins.claim(keys(RowKeys.Scope.APPLICATION, "string", REJECT)))
                .extracting(it -> it.name() + " " + it.stored())
                .containsExactly("key.scope null");
        assertThat(pins.stored()).isEmpty();
    }

    @Test
    void oneRowWithoutATopicAmongManyWithOneIsSeen() {
        source("orders");
        source("refunds");
        rows("orders/a-", "refunds/a-");
        assertThat(pins.compare(keys(RowKeys.Scope.TOPIC, "string", REJECT))).isEmpty();
        assertThat(pins.compare(keys(RowKeys.Scope.APPLICATION, "string", REJECT)))
                .extracting(it -> it.name() + " " + it.stored())
                .containsExactly("key.scope topic");

        row("pears"); // between both

        assertThat(pins.claim(keys(RowKeys.Scope.TOPIC, "string", REJECT)))
                .extracting(PinMismatch::name)
                .containsExactly("key.scope");
    }

    @Test
    void rowsThatDoNotShowWhatMadeThemWaitForSomebodyToConfirm() {
        source("orders");
        row("1");
        row("22");
        SortedMap<String, String> text = keys(RowKeys.Scope.APPLICATION, "string", REJECT);

        List<PinMismatch> open = pins.claim(text);

        assertThat(open).extracting(PinMismatch::name).containsExactly("key.format");
        assertThat(open.get(0).sentence(RowKeyPins.remedy(open.get(0))))
                .contains("has rows from before that was written down")
                .endsWith("if that is string, run envelope pin -c FILE --yes");
        assertThat(pins.stored()).isEmpty();

        pins.confirm(text);
        assertThat(pins.claim(text)).isEmpty();
    }

    @Test
    void tablesOfVersion7CanBeAskedBeforeTheUpgrade() {
        PostgresSettings former = FormerTables.create(server);
        FormerTables.use(former);
        Pins asked = new Pins(former);
        NullKeys spread = new NullKeys.Spread(64);

        assertThat(asked.compare(keys(RowKeys.Scope.APPLICATION, "string", spread))).isEmpty();
        assertThat(asked.compare(keys(RowKeys.Scope.TOPIC, "string", spread)))
                .extracting(PinMismatch::stored)
                .containsExactly("application");
        assertThat(asked.stored()).isEmpty();
        assertThat(new Pins(server.newSettings()).compare(values("a", "1"))).isEmpty();
        assertThatThrownBy(() -> asked.claim(values("a", "1")))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("run envelope migrate -c FILE");
    }
}
