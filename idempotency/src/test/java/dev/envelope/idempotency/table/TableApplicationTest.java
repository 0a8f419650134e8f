package dev.envelope.idempotency.table;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.key.Division;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.Deliveries;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.EnvelopeApplication.Limits;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.table.TableSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Applications that read a table, without any broker. */
class TableApplicationTest {

    /** How many rows a key had, and in which order. */
    record Seen(int count, long sum, List<Long> lastIds) {}

    record Row(long id, int key, int amount) {}

    private static final int SLOTS = 2;

    private final TestServer server = TestServer.shared();
    private final PostgresSettings settings = server.newMigratedSettings();
    private final String table = settings.schema() + ".work";
    private final List<AutoCloseable> open = new ArrayList<>();
    private volatile int poison = -1;

    @BeforeEach
    void create() {
        server.execute(
                ("CREATE TABLE %1$s (id bigint PRIMARY KEY, key int NOT NULL, amount int, done boolean);"
                                + "CREATE INDEX ON %1$s (key, id); GRANT ALL ON %1$s TO worker")
                        .formatted(table));
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size(); i-- > 0; ) {
            open.get(i).close();
        }
        server.execute("DROP SCHEMA " + settings.schema() + " CASCADE");
    }

    private Seen fold(@Nullable Seen before, @Nullable Row row) {
        Seen from = before == null ? new Seen(0, 0, List.of()) : before;
        assertThat(row).isNotNull();
        if (row.amount() == poison) {
            throw new IllegalArgumentException("poison");
        }
        List<Long> ids = new ArrayList<>(from.lastIds());
        ids.add(row.id());
        return new Seen(from.count() + 1, from.sum() + row.amount(), ids);
    }

    private EnvelopeApplication start(String instance, @Nullable String done) {
        PostgresSettings own =
                new PostgresSettings(
                        settings.url(),
                        settings.login(),
                        settings.schema(),
                        settings.applicationId(),
                        instance,
                        settings.lanes(),
                        settings.timeouts());
        TableSettings read =
                new TableSettings(table, "key", "id", null, null, null, done, null, null);
        PostgresStore store = PostgresStore.open(own, UUID.randomUUID().toString(), read);
        EnvelopeApplication application = application(read, DividedStore.of(store));
        application.start();
        return application;
    }

    private EnvelopeApplication application(TableSettings read, DividedStore store) {
        open.add(store);
        ConsumerSettings engine =
                ConsumerSettings.of("shop", "nowhere:1", Set.of(read.source()))
                        .withDivision(store.division())
                        .withSlots(new SlotPlan(SLOTS, SLOTS, Duration.ofSeconds(2)))
                        .withWorkers(2)
                        .withFailures(
                                new FailurePolicy(
                                        2,
                                        Duration.ofMillis(10),
                                        Duration.ofMillis(10),
                                        FailurePolicy.Last.PARK));
        EnvelopeFold<Seen, Row> fold =
                new EnvelopeFold<>(
                        (before, row, message) -> fold(before, row),
                        JsonStateCodec.of(Seen.class),
                        JsonValueFormat.of(Row.class),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        1 << 20);
        EnvelopeApplication application =
                new EnvelopeApplication(
                        new EnvelopeApplication.Parts(
                                engine,
                                fold,
                                store,
                                () -> Deliveries.NONE,
                                Limits.DEFAULT,
                                Telemetry.NONE,
                                UnaryOperator.identity()));
        open.add(() -> assertThat(application.close(Duration.ofSeconds(10))).isTrue());
        return application;
    }

    private void awaitDone(String condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(
                        () ->
                                server.query(
                                                "SELECT (NOT EXISTS (SELECT FROM %s WHERE %s))::text"
                                                        .formatted(table, condition))
                                        .equals("true"));
    }

    private String seen(String what) {
        return server.query(
                "SELECT coalesce(%s::text, '') FROM %s.state".formatted(what, settings.schema()));
    }

    private static final String COUNT = "sum((state->>'count')::int)";
    private static final String SUM = "sum((state->>'sum')::bigint)";

    @Test
    void eachRowIsAppliedOnceAndDeletedWhoeverCommitsLate() throws SQLException {
        start("one", null);
        SplittableRandom random = new SplittableRandom(42);
        int rows = 0;
        try (Connection early = server.connect();
                Connection late = server.connect();
                Statement now = early.createStatement();
                Statement later = late.createStatement()) {
            late.setAutoCommit(false);
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 50; i++) {
                    Statement by = random.nextInt(4) == 0 ? later : now;
                    by.addBatch(
                            "INSERT INTO %s VALUES (%d, %d, %d)"
                                    .formatted(table, ++rows, random.nextInt(30), 1));
                }
                later.executeBatch();
                now.executeBatch();
                if (round % 5 == 4) {
                    late.commit();
                }
                if (round == 10) {
                    start("two", null);
                }
            }
        }
        awaitDone("true");

        assertThat(seen(COUNT)).isEqualTo(Integer.toString(rows));
        assertThat(seen(SUM)).isEqualTo(Integer.toString(rows));
    }

    @Test
    void rowsOfAKeyThatAreThereComeInTheOrderOfTheirIds() {
        server.execute(
                "INSERT INTO %s SELECT i, i %% 7, 1 FROM generate_series(1, 7000) i"
                        .formatted(table));
        start("one", null);
        awaitDone("true");

        assertThat(seen(COUNT)).isEqualTo("7000");
        assertThat(
                        seen(
                                "bool_and((state->'lastIds')::jsonb = (SELECT jsonb_agg(e ORDER BY e::bigint)"
                                        + " FROM jsonb_array_elements((state->'lastIds')::jsonb) e))"))
                .isEqualTo("true");
        assertThat(Integer.parseInt(seen("max(version)")))
                .as("one write for many rows")
                .isLessThan(100);
    }

    private DividedStore slots(TableSettings read, Integer... places) {
        Division division = new Division(List.of(places));
        List<Place> all = new ArrayList<>();
        for (int place = 0; place < division.places(); place++) {
            SortedMap<Integer, PostgresSettings> its = new TreeMap<>();
            division.slotsAt(place)
                    .forEach(it -> its.put(it, it == 0 ? settings : server.newMigratedSettings()));
            all.add(PostgresStore.openPlace("p" + place, division, its, "start", Map.of(), read));
        }
        return new DividedStore(division, all, System::nanoTime);
    }

    @Test
    void aTurnHasRowsDoneForAllSlotsInItsDatabase() {
        TableSettings read = new TableSettings(table, "key", "id");
        server.execute(
                "INSERT INTO %s SELECT i, i %% 30, 1 FROM generate_series(1, 3000) i"
                        .formatted(table));
        DividedStore store = slots(read, 0, 0, 0);
        application(read, store).start();
        awaitDone("true");

        assertThat(Integer.parseInt(seen(COUNT))).isBetween(1, 2_900); // the rest is in others
        assertThat(store.slots().stream().mapToLong(TableApplicationTest::counted).sum())
                .isEqualTo(3_000);
    }

    private static long counted(Store slot) {
        List<String> keys = IntStream.range(0, 30).mapToObj(Integer::toString).toList();
        return slot.reads().read(keys, List.of(), RowReads.MOST_BYTES).rows().values().stream()
                .map(RowReads.Row::state)
                .map(it -> JsonStateCodec.of(Seen.class).decode(requireNonNull(it)))
                .mapToLong(Seen::count)
                .sum();
    }

    @Test
    void slotsInOtherDatabasesAreRefused() {
        TableSettings read = new TableSettings(table, "key", "id");
        DividedStore store = slots(read, 0, 1);
        assertThatThrownBy(() -> application(read, store))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("all slots have to be in the table's database");
    }

    @Test
    void aColumnSaysThatARowIsDone() {
        server.execute(
                "INSERT INTO %s SELECT i, i %% 10, 1 FROM generate_series(1, 500) i"
                        .formatted(table));
        start("one", "done");
        awaitDone("done IS NOT TRUE");

        assertThat(seen(COUNT)).isEqualTo("500");
        assertThat(server.query("SELECT count(*)::text FROM " + table)).isEqualTo("500");
    }

    @Test
    void aRowThatFailsIsParkedWithThoseBehindItAndOthersFlow() {
        poison = 13;
        server.execute(
                "INSERT INTO %s VALUES (1, 7, 1), (2, 7, 13), (3, 7, 1), (4, 8, 1)"
                        .formatted(table));
        start("one", null);
        awaitDone("true");

        assertThat(seen(COUNT)).isEqualTo("2");
        assertThat(
                        server.query(
                                "SELECT string_agg(row_key || ' ' || headers::text, ',' ORDER BY position)"
                                        + " FROM "
                                        + settings.schema()
                                        + ".parked"))
                .matches("7 .*envelope.row.*,7 .*envelope.row.*");
        poison = -1;
        server.execute(
                "INSERT INTO %s.request (row_key, action, requested_by) VALUES ('7', 'redrive', 'me')"
                        .formatted(settings.schema()));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> seen(COUNT).equals("4"));
    }

    /** It can't be parked either: that does it, too. */
    @Test
    void aRowThatATriggerKeepsStopsItsSlotAndNoOtherKeyBeforeIt() {
        server.execute(
                ("CREATE FUNCTION %2$s.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;"
                                + "CREATE TRIGGER keep BEFORE DELETE ON %1$s FOR EACH ROW WHEN (OLD.key = 7)"
                                + " EXECUTE FUNCTION %2$s.keep();"
                                + "INSERT INTO %1$s SELECT i, i %% 10, 1 FROM generate_series(1, 100) i")
                        .formatted(table, settings.schema()));
        EnvelopeApplication one = start("one", null);
        awaitDone("key <> 7");
        assertThat(seen(COUNT)).isEqualTo("90");
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                one.consumer()
                                        .status()
                                        .toString()
                                        .contains(
                                                "of key \"7\" failed 2 times, last with RowFault: of 1 rows of"));
        open.remove(open.size() - 1);
        assertThat(one.close(Duration.ofSeconds(10))).as("all was saved").isFalse();

        server.execute("DROP TRIGGER keep ON " + table);
        start("two", null);
        awaitDone("true");
        assertThat(seen(COUNT)).isEqualTo("100");
    }
}
