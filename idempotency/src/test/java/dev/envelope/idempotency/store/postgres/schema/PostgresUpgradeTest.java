package dev.envelope.idempotency.store.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.CrashStore.Suspect;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.RowKeyPins;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs and tables of different versions: the way there, side by side, the way back. */
class PostgresUpgradeTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final TestServer server = TestServer.shared();

    @Test
    void anUpgradeKeepsAllThatIsThereAndGoesOnWithIt() {
        PostgresSettings settings = FormerTables.create(server);
        FormerTables.use(settings);

        new Migrator(settings, server.owner()).migrate();

        assertThat(problems(settings, SchemaManagement.VALIDATE)).isEmpty();
        try (PostgresStore store = PostgresStore.open(settings)) {
            Incarnation now = store.checkpoints().incarnation();
            rowsAreKept(store, now);
            sourcesAreKept(store, now);
            parkedMessagesAndRequestsAreKept(store, now);
            deadLettersAreKept(store);
            assertThat(store.crashes().suspects()).containsExactly(new Suspect(1, 20, 1));
            assertThat(store.checkpoints().stopped()).isEqualTo(Map.of(2, "too much failed"));
        }
        assertThat(new Pins(settings).claim(spreadOver(64))).isEmpty();
        assertThat(new Pins(settings).claim(spreadOver(65)))
                .extracting(PinMismatch::stored)
                .containsExactly("64");
    }

    private static void rowsAreKept(PostgresStore store, Incarnation now) {
        Map<String, Snapshot> rows = store.states().load(List.of("a-1", "a-2", "a-3", "a-9"), now);
        Snapshot row = rows.get("a-1");
        assertThat(row).isNotNull();
        assertThat(row.state()).isEqualTo(bytes("{\"n\":2}"));
        assertThat(row.version()).isEqualTo(2);
        assertThat(row.marks().format()).isEqualTo("1:11@4");
        assertThat(row.purged().format()).isEqualTo("2:3@4");
        assertThat(rows.get("a-2")).extracting(Snapshot::parked).isEqualTo(1);
        assertThat(rows.get("a-3")).extracting(Snapshot::state).isNull();
        assertThat(rows.get("a-9")).extracting(Snapshot::isAbsent).isEqualTo(true);

        Marks next = row.marks().advance(1, new NextOffset(14, 4));
        Change change = new Change("a-1", 2, bytes("{\"n\":3}"), next, null, 0, List.of());
        assertThat(store.states().save(List.of(change), Patience.WAIT, now)).containsExactly(true);
        assertThat(store.states().save(List.of(change), Patience.WAIT, now)).containsExactly(false);
    }

    private static void sourcesAreKept(PostgresStore store, Incarnation now) {
        Bearings bearings = store.checkpoints().read(Set.of("orders"));
        assertThat(bearings.sources())
                .extracting(it -> it.partition() + " " + it.checkpoint())
                .containsExactlyInAnyOrder(
                        "orders-0 " + new NextOffset(13, 4), "orders-1 " + new NextOffset(7, -1));
        store.checkpoints().save(Map.of(1, new NextOffset(14, 4)), now);
        NewSource added =
                new NewSource(
                        new TopicPartition("orders", 2), new Uuid(1, 2), new NextOffset(0, -1));
        assertThat(store.checkpoints().introduce(List.of(added)).sources()).hasSize(3);
    }

    private static void parkedMessagesAndRequestsAreKept(PostgresStore store, Incarnation now) {
        ParkedStore parked = store.parked();
        RequestStore requests = store.requests();
        ParkedStore.Parked first = parked.first("a-2", 10).get(0);
        assertThat(first.message().offset()).isEqualTo(11);
        RequestStore.Request request = requests.take(LEASE).orElseThrow();
        assertThat(request.action()).isEqualTo(RequestStore.Action.REDRIVE);
        assertThat(request.key()).isEqualTo("a-2");
        Snapshot row = store.states().load(List.of("a-2"), now).get("a-2");
        assertThat(row).isNotNull();
        assertThat(parked.save(request, row.unparked(1), List.of(first.position()), now)).isTrue();
        requests.answer(request, "done", now);
        assertThat(requests.take(LEASE).orElseThrow().action()).isEqualTo(RequestStore.Action.SET);
        requests.leave();
    }

    private static void deadLettersAreKept(PostgresStore store) {
        assertThat(store.outbox().lead(LEASE)).isTrue();
        OutboxStore.Batch batch = store.outbox().first(10, 1_000);
        assertThat(batch.records())
                .extracting(it -> it.topic() + " " + it.origin().offset())
                .containsExactly("dead 10");
        store.outbox().delete(List.of(batch.records().get(0).position()), batch.incarnation());
        assertThat(store.outbox().depth(10)).isEqualTo(OutboxStore.Depth.NONE);
        store.outbox().leave();
    }

    @Test
    void theProgramOfTheLastReleaseStartsAndWorksOnTheTablesOfThisOne() {
        PostgresSettings settings = server.newMigratedSettings();

        assertThat(FormerTables.areServed(server, settings)).isTrue();
        FormerTables.use(settings);

        try (PostgresStore store = PostgresStore.open(settings)) {
            Incarnation now = store.checkpoints().incarnation();
            rowsAreKept(store, now); // and the way there once more
            sourcesAreKept(store, now);
        }
    }

    @Test
    void whatThisProgramHasPinnedOfRecordsWithoutAKeyIsFoundByThatOfTheLastRelease() {
        PostgresSettings settings = server.newMigratedSettings();
        String stored = "SELECT null_key_spread FROM " + settings.schema() + ".application";
        Pins pins = new Pins(settings);

        assertThat(pins.claim(spreadOver(32))).isEmpty();
        assertThat(server.query(stored)).isEqualTo("32");
        pins.confirm(RowKeyPins.of(RowKeys.Scope.APPLICATION, "string", new NullKeys.Partition()));
        assertThat(server.query(stored)).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource(SchemaManagement.class)
    void anOlderProgramRunsOnNewerTablesThatAllowIt(SchemaManagement management) {
        PostgresSettings settings = newerTables(Migrations.VERSION + 1, Migrations.VERSION);

        assertThat(problems(settings, management)).isEmpty();
        new Migrator(settings, null).migrate();
        new Migrator(settings, server.owner()).migrate();
        assertThat(server.query("SELECT tables_version FROM " + settings.schema() + ".application"))
                .isEqualTo(String.valueOf(Migrations.VERSION + 1));
    }

    @Test
    void anOlderProgramIsRefusedOnNewerTablesThatDoNot() {
        PostgresSettings settings = newerTables(Migrations.VERSION + 1, Migrations.VERSION + 1);

        for (SchemaManagement each : List.of(SchemaManagement.AUTO, SchemaManagement.VALIDATE)) {
            assertThat(problems(settings, each))
                    .singleElement()
                    .extracting(Problem::sentence)
                    .asString()
                    .contains(
                            "is of version %1$d, for programs that know at least version %1$d"
                                    .formatted(Migrations.VERSION + 1))
                    .contains("run the newer program");
        }
        assertThatThrownBy(() -> new Migrator(settings, server.owner()).migrate())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("run the newer program");
        assertThat(problems(settings, SchemaManagement.NONE)).isEmpty(); // who says so answers
    }

    /** As a later release may leave them: with a table of its own, too. */
    private PostgresSettings newerTables(int version, int minProgram) {
        PostgresSettings settings = server.newMigratedSettings();
        server.execute("CREATE TABLE " + settings.schema() + ".newer (key text)");
        server.execute(
                "UPDATE %s.application SET tables_version = %d, min_program = %d"
                        .formatted(settings.schema(), version, minProgram));
        return settings;
    }

    @Test
    void tablesOfAnOlderVersionAreRefusedWithTheCommandWhereSomebodyElseChangesThem() {
        PostgresSettings settings = FormerTables.create(server);

        assertThat(problems(settings, SchemaManagement.VALIDATE))
                .singleElement()
                .extracting(Problem::sentence)
                .asString()
                .contains(
                        "is of version 7, this program needs %d: run envelope migrate -c FILE"
                                .formatted(Migrations.VERSION));
    }

    @Test
    void whereNobodyLooksAtTheVersionAMissingTableIsNamed() {
        PostgresSettings settings = FormerTables.create(server);

        assertThat(problems(settings, SchemaManagement.NONE))
                .singleElement()
                .extracting(Problem::sentence)
                .asString()
                .contains("lacks our tables")
                .endsWith(
                        "(without done, dropped, output, parked_tally, paused, pin, relay, replacement, reply,"
                                + " timer)");
    }

    @Test
    void eachMigrationSaysWhichVersionItLeavesAndTheFileOfRightsNamesEachTable() {
        PostgresSettings settings = server.newMigratedSettings();

        assertThat(server.query("SELECT tables_version FROM " + settings.schema() + ".application"))
                .isEqualTo(String.valueOf(Migrations.VERSION));
        assertThat(
                        server.query(
                                "SELECT string_agg(tablename, ',' ORDER BY tablename) FROM pg_tables"
                                        + " WHERE tablename <> 'application' AND schemaname = '"
                                        + settings.schema()
                                        + "'"))
                .isEqualTo(String.join(",", Migrations.TABLES));
        assertThat(Migrations.TABLES)
                .allSatisfy(
                        table ->
                                assertThat(Migrations.workerRights(settings))
                                        .contains(settings.quotedSchema() + "." + table));
    }

    private static SortedMap<String, String> spreadOver(int rows) {
        return RowKeyPins.of(RowKeys.Scope.APPLICATION, "string", new NullKeys.Spread(rows));
    }

    private static List<Problem> problems(PostgresSettings settings, SchemaManagement management) {
        return new Preflight(settings, management).problems();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
