package dev.envelope.idempotency.store.postgres.place.division;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
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
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Rows that were not divided, and are divided into four slots in two databases. */
abstract class DivisionBench {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    static final int SLOTS = 4;
    private static final int ROWS = 12_000; // more than one batch
    static final List<String> PLACES = List.of("main", "b", "main", "b");
    static final Division DIVISION = new Division(List.of(1, 0, 1, 0)); // b, main
    private static final List<String> WITH_KEYS =
            List.of("state", "parked", "replacement", "crash", "timer", "reply");

    static final TestServer SERVER = TestServer.shared();
    private static final List<String> DATABASES = List.of("main", "b");

    final String schema = "dv" + NUMBERS.incrementAndGet();
    final Map<String, SlotSite> sites = new LinkedHashMap<>();
    final TestServer main = database("main");
    final TestServer b = database("b");

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

    PostgresSettings undivided() {
        return Objects.requireNonNull(sites.get("main")).settings();
    }

    PostgresSettings slot(int slot) {
        return Objects.requireNonNull(sites.get(PLACES.get(slot))).of(slot);
    }

    TestServer at(int slot) {
        return PLACES.get(slot).equals("main") ? main : b;
    }

    static String keyOf(int slot) {
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
    record Mortal(Step at) implements SlotDivision.Progress {

        @Override
        public void done(Step step, String words) {
            if (step == at) {
                throw new Died();
            }
        }
    }

    static final class Died extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    static final SlotDivision.Progress QUIETLY = (step, words) -> {};

    SlotDivision division(SlotDivision.Progress progress) {
        return division(PLACES, progress);
    }

    SlotDivision division(List<String> places, SlotDivision.Progress progress) {
        return new SlotDivision(
                sites,
                places,
                InstantSource.system(),
                () -> UUID.randomUUID().toString(),
                progress);
    }

    String copy() {
        return division(QUIETLY).copy("tester");
    }

    String finish() {
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

    Map<String, List<String>> undividedRows() {
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
    void assertDivided(Map<String, List<String>> before) {
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

    void theTablesAreAsMigrationsMakeThem() {
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
    void change() {
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
}
