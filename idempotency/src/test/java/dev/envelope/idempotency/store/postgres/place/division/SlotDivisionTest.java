package dev.envelope.idempotency.store.postgres.place.division;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.pin.PinsOfSlots;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.place.operator.DividedOperators;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.division.SlotDivision.Step;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Pins;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that were not divided are divided into four slots in two databases. */
class SlotDivisionTest {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int SLOTS = 4;
    private static final int ROWS = 12_000; // more than one batch
    private static final List<String> PLACES = List.of("main", "b", "main", "b");
    private static final Division DIVISION = new Division(List.of(1, 0, 1, 0)); // b, main
    private static final List<String> WITH_KEYS =
            List.of("state", "parked", "replacement", "crash", "timer", "reply");

    private static final TestServer SERVER = TestServer.shared();
    private static final List<String> DATABASES = List.of("main", "b");

    private final String schema = "dv" + NUMBERS.incrementAndGet();
    private final Map<String, SlotSite> sites = new LinkedHashMap<>();
    private final TestServer main = database("main");
    private final TestServer b = database("b");

    @BeforeAll
    static void createDatabases() {
        DATABASES.forEach(name -> SERVER.execute("CREATE DATABASE division_" + name));
    }

    @AfterAll
    static void dropDatabases() {
        DATABASES.forEach(
                name -> SERVER.execute("DROP DATABASE division_" + name + " WITH (FORCE)"));
    }

    private TestServer database(String name) {
        String url = SERVER.url().replaceFirst("/[^/]*$", "/division_" + name);
        TestServer its = TestServer.at(url, "postgres", "");
        sites.put(name, new SlotSite(name, its.settings(schema, "worker"), its.owner()));
        return its;
    }

    private PostgresSettings undivided() {
        return Objects.requireNonNull(sites.get("main")).settings();
    }

    private PostgresSettings slot(int slot) {
        return Objects.requireNonNull(sites.get(PLACES.get(slot))).of(slot);
    }

    private TestServer at(int slot) {
        return PLACES.get(slot).equals("main") ? main : b;
    }

    private static String keyOf(int slot) {
        return IntStream.range(0, 100)
                .mapToObj(i -> "key-" + i)
                .filter(key -> DIVISION.slotOf(key) == slot)
                .findFirst()
                .orElseThrow();
    }

    @BeforeEach
    void anApplicationThatHasAllThereIs() {
        new Migrator(undivided(), main.owner()).migrate();
        try (PostgresStore store = PostgresStore.open(undivided());
                OperatorStore operators = new OperatorConnections(undivided(), System::nanoTime)) {
            store.checkpoints()
                    .introduce(
                            IntStream.range(0, SLOTS)
                                    .mapToObj(
                                            it ->
                                                    new NewSource(
                                                            new TopicPartition("orders", it),
                                                            new Uuid(1, 1),
                                                            new NextOffset(3, 0)))
                                    .toList());
            var life = store.checkpoints().incarnation();
            List<Change> changes = new ArrayList<>();
            for (int slot = 0; slot < SLOTS; slot++) {
                changes.add(
                        new Change(
                                keyOf(slot),
                                0,
                                ("{\"slot\":" + slot + "}").getBytes(StandardCharsets.UTF_8),
                                Marks.NONE,
                                new byte[] {0, -1},
                                0,
                                List.of(
                                        Messages.parked(slot + 1, 7, keyOf(slot)),
                                        Messages.parked(slot + 1, 8, keyOf(slot)))));
            }
            store.states().save(changes, StateStore.Patience.WAIT, life);
            for (int source = 1; source <= SLOTS; source++) {
                store.states()
                        .save(
                                List.of(
                                        Change.ofMessagesWithoutRow(
                                                Messages.parked(source, 20, null).message().key(),
                                                List.of(
                                                        Messages.parked(source, 20, null),
                                                        Messages.parked(source, 21, null)),
                                                List.of(),
                                                List.of())),
                                StateStore.Patience.WAIT,
                                life);
                store.checkpoints().save(Map.of(source, new NextOffset(10L + source, 5)), life);
            }
            store.checkpoints().skip(2, List.of(new Skip(Skip.Cause.GAP, 1, 3)), life);
            store.crashes().count(List.of(Messages.parked(1, 11, keyOf(2)).message()));
            store.stops().stop(4, "stop it");
            try (var pauses = operators.pauses()) {
                pauses.pause(Kind.KEY, keyOf(3), Optional.empty(), "tester");
                pauses.pause(Kind.PARTITION, "orders-1", Optional.empty(), "tester");
            }
            try (var requests = operators.requests()) {
                requests.ask(keyOf(1), Action.DROP, "tester");
                requests.ask(keyOf(3), Action.REDRIVE, "tester");
            }
            try (ParkedCatalog parked = operators.parked()) {
                parked.deleteWithoutRow(
                        parked.messagesWithoutRow(0, 100).stream()
                                .filter(it -> it.place().contains("21"))
                                .map(ParkedCatalog.Entry::position)
                                .toList(),
                        "tester");
            }
            new Pins(undivided()).confirm(new TreeMap<>(Map.of("key.scope", "application")));
        }
        main.execute(
                """
                INSERT INTO %1$s.state (key, state, version, marks, ids)
                SELECT 'row-' || i || '''%%?\\', json_build_object('i', i), i, '1:' || i, decode('00ff', 'hex')
                FROM generate_series(1, %2$d) AS i;
                INSERT INTO %1$s.state (key, version, marks) VALUES ('', 1, '');
                INSERT INTO %1$s.timer (key, name, due_at, payload, source, record_offset, leader_epoch, ordinal)
                SELECT key, 'ring', now(), 'p', 1, 1, 1, 0 FROM %1$s.state WHERE key LIKE 'key-%%';
                INSERT INTO %1$s.reply (key, command, disposition, value, is_state, version, source, record_offset)
                SELECT key, 'c', 'applied', 'v', false, 1, 1, 1 FROM %1$s.state WHERE key LIKE 'key-%%';
                INSERT INTO %1$s.replacement (source, record_offset, leader_epoch, row_key, value, replaced_by)
                SELECT source, record_offset, leader_epoch, row_key, 'new', 'tester'
                FROM %1$s.parked WHERE row_key IS NOT NULL;
                UPDATE %1$s.application SET null_key_spread = 3, min_program = 11;
                UPDATE %1$s.source SET purged_below = 5, growth = partition;
                SELECT nextval('%1$s.output_position') FROM generate_series(1, 9);
                """
                        .formatted(schema, ROWS));
    }

    @AfterEach
    void dropSchemas() {
        for (TestServer database : List.of(main, b)) {
            database.execute(
                    """
                    DO $$ DECLARE its text; BEGIN
                      FOR its IN SELECT nspname FROM pg_namespace
                          WHERE nspname = '%1$s' OR nspname LIKE '%1$s\\_%%' LOOP
                        EXECUTE 'DROP SCHEMA ' || its || ' CASCADE';
                      END LOOP;
                    END $$
                    """
                            .formatted(schema));
        }
    }

    /** A divider who dies where the test wants it. */
    private record Mortal(Step at) implements SlotDivision.Progress {

        @Override
        public void done(Step step, String words) {
            if (step == at) {
                throw new Died();
            }
        }
    }

    private static final class Died extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static final SlotDivision.Progress QUIETLY = (step, words) -> {};

    private SlotDivision division(SlotDivision.Progress progress) {
        return division(PLACES, progress);
    }

    private SlotDivision division(List<String> places, SlotDivision.Progress progress) {
        return new SlotDivision(
                sites,
                places,
                InstantSource.system(),
                () -> UUID.randomUUID().toString(),
                progress);
    }

    private String copy() {
        return division(QUIETLY).copy("tester");
    }

    private String finish() {
        return division(QUIETLY).finish("tester");
    }

    private static List<String> rows(TestServer at, String schema, String table) {
        List<String> rows = new ArrayList<>();
        try (Connection connection = at.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT t::text FROM " + schema + "." + table + " AS t")) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return rows;
    }

    private Map<String, List<String>> undividedRows() {
        Map<String, List<String>> rows = new TreeMap<>();
        for (String table : Migrator.tables()) {
            rows.put(table, rows(main, schema, table));
        }
        return rows;
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().toList();
    }

    /** All rows are in the slots, each where it belongs, and nobody finds another one. */
    private void assertDivided(Map<String, List<String>> before) {
        for (DividedTable table : DividedTable.ALL) {
            List<String> all = new ArrayList<>();
            for (int slot = 0; slot < SLOTS; slot++) {
                List<String> its = rows(at(slot), slot(slot).schema(), table.name());
                if (table.way() == DividedTable.Way.TO_ALL) {
                    assertThat(its).containsAll(Objects.requireNonNull(before.get(table.name())));
                }
                all.addAll(its);
            }
            if (table.way() == DividedTable.Way.ROUTED || table.name().equals("state")) {
                assertThat(all).as(table.name()).isNotEmpty();
                assertThat(sorted(all))
                        .as(table.name())
                        .isEqualTo(sorted(Objects.requireNonNull(before.get(table.name()))));
            }
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            for (String table : WITH_KEYS) {
                String key =
                        Set.of("parked", "replacement", "crash").contains(table)
                                ? "row_key"
                                : "key";
                for (String its :
                        rows(
                                at(slot),
                                "(SELECT " + key + " AS k FROM " + slot(slot).schema(),
                                table + " WHERE " + key + " IS NOT NULL)")) {
                    String unquoted = its.substring(1, its.length() - 1);
                    if (unquoted.matches("[a-z0-9-]+")) {
                        assertThat(DIVISION.slotOf(unquoted)).as(its).isEqualTo(slot);
                    }
                }
            }
        }
        assertThat(main.query("SELECT to_regnamespace('" + schema + "') IS NULL")).isEqualTo("t");
        assertThat(main.query("SELECT count(*) FROM " + schema + "_divided.state"))
                .isEqualTo("" + Objects.requireNonNull(before.get("state")).size());
    }

    @Test
    void eachTableHasItsWay() {
        assertThat(DividedTable.ALL)
                .extracting(DividedTable::name)
                .containsExactlyInAnyOrderElementsOf(Migrator.tables());
    }

    @Test
    void theStoresOfTheSlotsReadEverythingBack() {
        Map<String, List<String>> before = undividedRows();
        assertThat(copy()).contains("12,005 rows copied");
        assertThat(finish()).contains("DROP SCHEMA " + schema + "_divided CASCADE");
        assertDivided(before);
        List<OperatorStore> all = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            all.add(new OperatorConnections(slot(slot), System::nanoTime));
        }
        DividedOperators operators =
                new DividedOperators(() -> new DividedOperators.Slots(DIVISION, all));
        try (var keys = operators.keys();
                var parked = operators.parked();
                var requests = operators.requests();
                var pauses = operators.pauses();
                var stopped = operators.stopped()) {
            for (int slot = 0; slot < SLOTS; slot++) {
                String key = keyOf(slot);
                assertThat(keys.row(key).orElseThrow().state()).contains("\"slot\":" + slot);
                assertThat(keys.timers(key)).hasSize(1);
                assertThat(parked.messages(key, 0, 10))
                        .satisfiesExactly(
                                it -> assertThat(it.place()).endsWith("7"),
                                it -> assertThat(it.place()).endsWith("8"));
            }
            List<ParkedCatalog.Entry> everything = parked.messages(null, 0, 100);
            assertThat(everything)
                    .extracting(ParkedCatalog.Entry::position)
                    .hasSize(12)
                    .doesNotHaveDuplicates();
            assertThat(parked.messagesWithoutRow(0, 100)).hasSize(4);
            assertThat(keys.asked(keyOf(1))).hasSize(1);
            assertThat(keys.asked(keyOf(3))).isNotEmpty();
            assertThat(requests.audit(null, 100))
                    .hasSize(Objects.requireNonNull(before.get("request")).size());
            assertThat(pauses.isPaused(Kind.KEY, keyOf(3))).isTrue();
            assertThat(pauses.isPaused(Kind.PARTITION, "orders-1")).isTrue();
            assertThat(stopped.all()).hasSize(1);
        }
        operators.close();
        theRunningStoreGoesOn();
        theTablesAreAsMigrationsMakeThem();
    }

    private void theRunningStoreGoesOn() {
        List<Place> places = new ArrayList<>();
        for (String name : List.of("b", "main")) {
            SortedMap<Integer, PostgresSettings> its = new TreeMap<>();
            for (int slot = 0; slot < SLOTS; slot++) {
                if (PLACES.get(slot).equals(name)) {
                    its.put(slot, slot(slot));
                }
            }
            places.add(PostgresStore.openPlace(name, DIVISION, its, "start"));
        }
        try (DividedStore store = new DividedStore(DIVISION, places, System::nanoTime)) {
            var bearings = store.checkpoints().read(Set.of("orders"));
            assertThat(bearings.unknown()).isEmpty();
            assertThat(bearings.sources())
                    .hasSize(SLOTS)
                    .allSatisfy(
                            it ->
                                    assertThat(it.checkpoint().offset())
                                            .isEqualTo(10L + it.number()));
            assertThat(store.shelves().stream().flatMap(it -> it.replacements().stream()))
                    .hasSize(8);
            assertThat(store.shelves().stream().mapToLong(it -> it.stops().parked(1)).sum())
                    .isEqualTo(3);
            for (int slot = 0; slot < SLOTS; slot++) {
                var slots = store.slots().get(slot);
                assertThat(slots.sources().all()).hasSize(SLOTS);
                assertThat(slots.parked().first(keyOf(slot), 10)).hasSize(2);
                assertThat(slots.frozen().of(List.of(new TopicPartition("orders", slot))))
                        .hasSize(1);
            }
            assertThat(store.home().sources().fed())
                    .hasSize(SLOTS)
                    .allSatisfy((source, fed) -> assertThat(fed).hasSize(SLOTS));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            assertThat(new Pins(slot(slot)).stored())
                    .hasEntrySatisfying(
                            "key.scope", it -> assertThat(it.value()).isEqualTo("application"))
                    .hasEntrySatisfying(
                            PinsOfSlots.COUNT, it -> assertThat(it.value()).isEqualTo("4"));
        }
        PinsOfSlots pins =
                new PinsOfSlots(
                        IntStream.range(0, SLOTS).mapToObj(it -> new Pins(slot(it))).toList());
        assertThat(pins.claim(new TreeMap<>(Map.of("key.scope", "application")))).isEmpty();
    }

    private void theTablesAreAsMigrationsMakeThem() {
        main.execute("CREATE SCHEMA IF NOT EXISTS fresh");
        new Migrator(undivided().withSchema("fresh"), main.owner()).migrate();
        String columns =
                "SELECT string_agg(table_name || '.' || column_name || ' ' || data_type || coalesce("
                        + "replace(column_default, '%1$s', 'x'), ''), ',' ORDER BY table_name,"
                        + " column_name) FROM information_schema.columns WHERE table_schema = '%1$s'";
        for (int slot = 0; slot < SLOTS; slot++) {
            String its = slot(slot).schema();
            assertThat(at(slot).query(columns.formatted(its)))
                    .isEqualTo(main.query(columns.formatted("fresh")));
            assertThat(
                            at(slot).query(
                                            "SELECT count(*) FROM "
                                                    + its
                                                    + ".refused_of_lanes('{1}', 9)"))
                    .isEqualTo("0");
            assertThat(at(slot).query("SELECT " + its + ".require_program(11) IS NULL"))
                    .isEqualTo("t");
            assertThat(at(slot).query("SELECT nextval('" + its + ".output_position')"))
                    .isEqualTo("10");
            assertThat(
                            at(slot).query(
                                            "SELECT null_key_spread || ' ' || min_program FROM "
                                                    + its
                                                    + ".application"))
                    .isEqualTo("3 11");
        }
        assertThat(
                        main.query(
                                "INSERT INTO %s_00.source (topic, partition, topic_id, start_offset, start_epoch) VALUES ('u', 0, gen_random_uuid(), 0, 0) RETURNING number"
                                        .formatted(schema)))
                .isEqualTo("5");
    }

    /** What an application does beside the copy. */
    private void change() {
        main.execute(
                """
                UPDATE %1$s.state SET state = '{"new":1}', version = version + 1, updated_at = now()
                WHERE key LIKE 'row-7%%';
                UPDATE %1$s.state SET parked = 3 WHERE key LIKE 'row-8%%';
                DELETE FROM %1$s.state WHERE key LIKE 'row-99%%';
                INSERT INTO %1$s.state (key, version, marks) SELECT 'more-' || i, 1, '' FROM generate_series(1, 50) AS i;
                INSERT INTO %1$s.state (key, version, marks) SELECT 'zz-' || i, 1, '' FROM generate_series(1, 50) AS i;
                """
                        .formatted(schema));
    }

    @Test
    void whatChangesBetweenTheStepsIsCopiedAgain() {
        copy();
        change();
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    @Test
    void theCopyIsGoneOnWithWhereItWasEnded() {
        assertThatThrownBy(
                        () ->
                                division(
                                                new SlotDivision.Progress() {
                                                    @Override
                                                    public void done(Step step, String words) {}

                                                    @Override
                                                    public void seen(long rows) {
                                                        throw new Died();
                                                    }
                                                })
                                        .copy("tester"))
                .isInstanceOf(Died.class);
        assertThat(copy()).contains("2,005 rows copied of 12,005");
        assertThat(copy()).contains("0 rows copied");
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    @ParameterizedTest
    @EnumSource(Step.class)
    void whoeverCallsItAgainGoesOnWhereADividerDied(Step at) {
        if (at == Step.PREPARED || at == Step.COPIED) {
            assertThatThrownBy(() -> division(new Mortal(at)).copy("tester"))
                    .isInstanceOf(Died.class);
            copy();
        } else {
            copy();
            change();
        }
        Map<String, List<String>> before = undividedRows();
        if (at == Step.PREPARED || at == Step.COPIED) {
            finish();
        } else {
            assertThatThrownBy(() -> division(new Mortal(at)).finish("tester"))
                    .isInstanceOf(Died.class);
            if (at == Step.DONE) {
                assertThatThrownBy(this::finish).hasMessageContaining("were divided already");
            } else {
                assertThatThrownBy(this::copy).isInstanceOf(RefusedException.class);
                finish();
            }
        }
        assertDivided(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"HIDDEN", "QUIET", "CAUGHT_UP", "FILLED", "COUNTED"})
    void aDivisionThatIsNotDoneIsTakenBack(Step at) {
        Map<String, List<String>> before = undividedRows();
        assertThatThrownBy(() -> division(new Mortal(at)).finish("tester"))
                .isInstanceOf(Died.class);
        assertThat(UndividedRows.stage(Objects.requireNonNull(sites.get("main"))))
                .isEqualTo(UndividedRows.Stage.DIVIDING);
        assertThat(division(QUIETLY).abandon()).contains("as before");
        assertThat(undividedRows()).isEqualTo(before);
        assertThat(
                        main.query(
                                "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '"
                                        + schema
                                        + "\\_%'"))
                .isEqualTo("0");
        finish();
        assertDivided(before);
    }

    @Test
    void onceASlotHasItsNameThereIsNoWayBack() {
        Map<String, List<String>> before = undividedRows();
        assertThatThrownBy(() -> division(new Mortal(Step.NAMED)).finish("tester"))
                .isInstanceOf(Died.class);
        assertThatThrownBy(() -> division(QUIETLY).abandon())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("--finish");
        finish();
        assertDivided(before);
    }

    /** Sets a database aside as it is. Nobody may be connected. */
    private static void keep(String name) {
        SERVER.execute("CREATE DATABASE division_%1$s_kept TEMPLATE division_%1$s".formatted(name));
    }

    /** A database is again as it was kept, as a standby would be that was behind. */
    private static void failOver(String name) {
        SERVER.execute("DROP DATABASE division_%s WITH (FORCE)".formatted(name));
        SERVER.execute("ALTER DATABASE division_%1$s_kept RENAME TO division_%1$s".formatted(name));
    }

    /** The place b gets its names first. */
    private void theOtherPlaceGoesBackAfterTheFirstHasItsNames(Step to) {
        assertThatThrownBy(() -> division(new Mortal(to)).finish("tester"))
                .isInstanceOf(Died.class);
        keep("main");
        assertThatThrownBy(() -> division(new Mortal(Step.NAMED)).finish("tester"))
                .isInstanceOf(Died.class);
        failOver("main");
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"HIDDEN", "CAUGHT_UP", "FILLED", "COUNTED"})
    void whatAPlaceHasLostBeforeItsSlotsHadTheirNamesIsCopiedAgain(Step at) {
        copy();
        change();
        Map<String, List<String>> before = undividedRows();
        theOtherPlaceGoesBackAfterTheFirstHasItsNames(at);
        finish();
        assertDivided(before);
        theTablesAreAsMigrationsMakeThem();
    }

    @Test
    void ifTheUndividedRowsAreAsBeforeTheLastStepAllOfItIsDoneAgain() {
        copy();
        keep("main");
        assertThatThrownBy(() -> division(new Mortal(Step.NAMED)).finish("tester"))
                .isInstanceOf(Died.class);
        failOver("main");
        change();
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    @Test
    void whoSawThatAllIsFilledLooksAgainOnceTheSchemasAreHis() {
        Map<String, List<String>> before = undividedRows();
        assertThatThrownBy(() -> division(new Mortal(Step.COUNTED)).finish("tester"))
                .isInstanceOf(Died.class);
        AtomicBoolean goneOn = new AtomicBoolean();
        SlotDivision late =
                new SlotDivision(
                        sites,
                        PLACES,
                        InstantSource.system(),
                        () -> { // when he claims them
                            if (goneOn.compareAndSet(false, true)) {
                                division(QUIETLY).abandon();
                                assertThatThrownBy(
                                                () ->
                                                        division(new Mortal(Step.CAUGHT_UP))
                                                                .finish("faster"))
                                        .isInstanceOf(Died.class);
                            }
                            return UUID.randomUUID().toString();
                        },
                        QUIETLY);
        assertThatThrownBy(() -> late.finish("late"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("somebody else has gone on");
        finish();
        assertDivided(before);
    }

    @Test
    void aSlotThatWasUsedSinceItHasItsNameIsNotFilledAgain() {
        theOtherPlaceGoesBackAfterTheFirstHasItsNames(Step.CAUGHT_UP);
        b.execute("INSERT INTO %s.instance (name) VALUES ('one')".formatted(slot(1).schema()));
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("slot 1 at b was in use");
    }

    /** A divider who stands still until he is woken. */
    private static final class Sleeper implements SlotDivision.Progress {

        private final Step at;
        private final CountDownLatch asleep = new CountDownLatch(1);
        private final CountDownLatch awake = new CountDownLatch(1);

        Sleeper(Step at) {
            this.at = at;
        }

        @Override
        public void done(Step step, String words) {
            if (step == at) {
                asleep.countDown();
                try {
                    awake.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"QUIET", "CAUGHT_UP", "COUNTED"})
    void aDividerWhoThawsAfterItWasTakenBackOrGoneOnWithWritesNothing(Step at) throws Exception {
        Map<String, List<String>> before = undividedRows();
        Sleeper sleeper = new Sleeper(at);
        var first = CompletableFuture.supplyAsync(() -> division(sleeper).finish("sleeper"));
        sleeper.asleep.await();
        division(QUIETLY).abandon();
        copy();
        sleeper.awake.countDown();
        assertThatThrownBy(first::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(UnavailableException.class);
        assertThat(undividedRows()).isEqualTo(before);
        Sleeper other = new Sleeper(at);
        var second = CompletableFuture.supplyAsync(() -> division(other).finish("sleeper"));
        other.asleep.await();
        finish();
        other.awake.countDown();
        assertThatThrownBy(second::get).isInstanceOf(ExecutionException.class);
        assertDivided(before);
    }

    @Test
    void theLastStepIsForApplicationsThatHaveEnded() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        var process =
                CompletableFuture.runAsync(
                        () -> {
                            while (!ends.get()) {
                                main.execute(
                                        "INSERT INTO %s.instance AS i (name) VALUES ('shop-1') ON CONFLICT (name) DO UPDATE SET seen_at = now()"
                                                .formatted(schema));
                            }
                        });
        main.await("EXISTS (SELECT FROM " + schema + ".instance)");
        assertThat(division(QUIETLY).plan().waits()).singleElement().asString().contains("shop-1");
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("shop-1");
        ends.set(true);
        process.get();
        main.execute("DELETE FROM " + schema + ".instance");
        main.execute(
                "INSERT INTO %s.output (relay, lanes, topics, keys, vals, sources, offsets, epochs, ordinals, bytes) VALUES (0, '{1}', '{t}', '{k}', '{v}', '{1}', '{1}', '{1}', '{0}', 1)"
                        .formatted(schema));
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("output has 1 rows");
        assertThat(UndividedRows.stage(Objects.requireNonNull(sites.get("main"))))
                .isEqualTo(UndividedRows.Stage.UNDIVIDED);
        main.execute("DELETE FROM " + schema + ".output");
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    /** One that nobody has thought of, in the middle of a save. */
    @Test
    void aSaveUnderWayIsWaitedForAndLaterOnesFail() throws Exception {
        copy();
        String save = "UPDATE " + schema + ".state SET version = 77 WHERE key = '" + keyOf(2) + "'";
        try (Connection session = main.connect();
                Statement statement = session.createStatement()) {
            session.setAutoCommit(false);
            statement.execute(save);
            var divider = CompletableFuture.supplyAsync(this::finish);
            main.await(
                    "EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted)");
            session.commit();
            divider.get();
            assertThat(
                            at(2).query(
                                            "SELECT version FROM %s.state WHERE key = '%s'"
                                                    .formatted(slot(2).schema(), keyOf(2))))
                    .isEqualTo("77");
            assertThatThrownBy(() -> statement.execute(save))
                    .extracting(it -> ((SQLException) it).getSQLState())
                    .isEqualTo("42P01");
        }
    }

    @Test
    void whatIsInTheWayIsSaidBefore() {
        assertThat(division(QUIETLY).plan().obstacles()).isEmpty();
        assertThat(division(QUIETLY).plan().slots()).hasSize(4).contains("b " + schema + "_01");
        copy();
        assertThatThrownBy(() -> division(List.of("main", "b"), QUIETLY).copy("tester"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("of 4: the division was begun with another store.slots");
        Objects.requireNonNull(sites.get("b")).migrator(3).migrate();
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("b: there is a schema " + schema + "_03 with tables");
        b.execute("DROP SCHEMA " + schema + "_03 CASCADE");
        main.execute("CREATE SCHEMA " + schema + "_divided");
        main.execute("CREATE TABLE " + schema + "_divided.application (x int)");
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("one of them has to go");
        main.execute("DROP SCHEMA " + schema + "_divided CASCADE");
        assertThatThrownBy(() -> division(new Mortal(Step.COUNTED)).finish("tester"))
                .isInstanceOf(Died.class);
        new Migrator(undivided(), main.owner()).migrate();
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("one of them has to go");
        main.execute("DROP SCHEMA " + schema + " CASCADE");
        finish();
    }

    /** With {@code -Ddivision.rows=1000000} it says how long that takes. */
    @Test
    void manyRowsAreCopiedBeforeTheLastStep() {
        int rows = Integer.getInteger("division.rows", 20_000);
        main.execute(
                "INSERT INTO %s.state (key, state, version, marks) SELECT 'many-' || i, json_build_object('n', i, 'text', repeat('x', 100)), 1, '1:' || i FROM generate_series(1, %d) AS i"
                        .formatted(schema, rows));
        String copied = copy();
        main.execute(
                "UPDATE %s.state SET version = 2, updated_at = now() WHERE key LIKE 'many-%%77'"
                        .formatted(schema));
        String finished = finish();
        System.out.printf("%d rows: %s%n%s%n", rows, copied, finished);
        long there = 0;
        long changed = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            String state = slot(slot).schema() + ".state WHERE key LIKE 'many-%'";
            there += Long.parseLong(at(slot).query("SELECT count(*) FROM " + state));
            changed += Long.parseLong(at(slot).query("SELECT sum(version) FROM " + state));
        }
        assertThat(there).isEqualTo(rows);
        assertThat(changed).isEqualTo(rows + rows / 100);
    }
}
