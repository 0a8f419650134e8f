package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.StoreFixture.ParkedRecord;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.Problem;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is particular where a schema is on a worker of Citus, or should not be there. */
@Tag("citus")
class CitusTest {

    private final TestServer server = TestServer.shared();

    @Test
    void whatWasReadBeforeTheSchemaMovedIsNotSavedAfterIt() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            Incarnation before = fixture.checkpoints().incarnation();
            save(fixture, before, 0);

            CitusLab.move(server, fixture.settings().schema());

            assertNothingIsSavedOf(fixture, before);
        }
    }

    @Test
    void whatWasReadInOneLifeOfTheWorkerIsNotSavedInTheNext() {
        CitusLab lab = new CitusLab();
        try (PostgresFixture fixture = new PostgresFixture()) {
            Incarnation before = fixture.checkpoints().incarnation();
            save(fixture, before, 0);

            lab.kill(CitusLab.serverOf(server, fixture.settings().schema()));
            assertThatThrownBy(() -> save(fixture, before, 1))
                    .isInstanceOf(UnavailableException.class);
            lab.start();

            assertNothingIsSavedOf(fixture, before);
        }
    }

    @Test
    void whatWasReadInOneLifeOfTheCoordinatorIsNotSavedInTheNext() {
        CitusLab lab = new CitusLab();
        try (PostgresFixture fixture = new PostgresFixture()) {
            Incarnation before = fixture.checkpoints().incarnation();
            save(fixture, before, 0);

            lab.kill(CitusLab.COORDINATOR);
            lab.start();

            assertNothingIsSavedOf(fixture, before);
        }
    }

    /** Each of the pool's connections finds out by itself, and is not used again. */
    private static void assertNothingIsSavedOf(PostgresFixture fixture, Incarnation before) {
        Incarnation after = afterOutage(() -> fixture.checkpoints().incarnation());
        assertThat(after).isNotEqualTo(before);
        assertThat(afterOutage(() -> fixture.states().load(List.of("a"), after)).values())
                .extracting(Snapshot::version)
                .containsExactly(1L);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> save(fixture, before, 1))
                    .isInstanceOf(UnavailableException.class);
        }
        assertThatThrownBy(() -> afterOutage(() -> save(fixture, before, 1)))
                .isInstanceOf(OtherIncarnationException.class);
        assertThat(afterOutage(() -> save(fixture, after, 1))).containsExactly(true);
    }

    @Test
    void theOrderOfWhatIsParkedSurvivesMovesThereAndBackAndSequencesThatHaveLostNumbers() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            String schema = fixture.settings().schema();
            for (int n = 0; n < 4; n++) {
                int offset = n;
                PostgresStore store = PostgresStore.open(fixture.settings());
                Incarnation now = afterOutage(() -> store.checkpoints().incarnation());
                Change parking =
                        new Change(
                                "a",
                                offset,
                                null,
                                Marks.NONE,
                                null,
                                0,
                                List.of(Messages.parked(1, offset, "a")));
                assertThat(
                                afterOutage(
                                        () ->
                                                store.states()
                                                        .save(
                                                                List.of(parking),
                                                                Patience.WAIT,
                                                                now)))
                        .containsExactly(true);
                store.close();
                CitusLab.move(server, schema);
                server.execute(
                        "SELECT setval('%s.parked_position_seq', 1, false)".formatted(schema));
            }

            assertThat(fixture.parked())
                    .extracting(ParkedRecord::offset)
                    .containsExactly(0L, 1L, 2L, 3L);
        }
    }

    @Test
    void aLockIsWaitedForOnTheWorkerNoLongerThanConfigured() throws SQLException {
        try (PostgresFixture fixture = new PostgresFixture();
                Connection other = server.connect();
                Statement hold = other.createStatement()) {
            Incarnation now = fixture.checkpoints().incarnation();
            save(fixture, now, 0);
            other.setAutoCommit(false);
            hold.execute("UPDATE " + fixture.settings().schema() + ".state SET parked = 0");
            long begin = System.nanoTime();

            assertThatThrownBy(() -> save(fixture, now, 1))
                    .isInstanceOf(StoreException.RowLocked.class);

            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(TestServer.QUICK.lock(), TestServer.QUICK.lock().multipliedBy(10));
        }
    }

    @Test
    void aWorkerThatDoesNotWaitForItsDiskIsRefused() {
        PostgresSettings settings = server.newMigratedSettings();
        String port = CitusLab.portOf(server, settings.schema());
        TestServer worker =
                TestServer.at(
                        server.url().replaceFirst(":[0-9]+/", ":" + port + "/"), "postgres", "");
        worker.execute("ALTER ROLE worker SET synchronous_commit = off");
        try {
            assertThat(problems(settings)).contains("synchronous_commit is off");
        } finally {
            worker.execute("ALTER ROLE worker RESET synchronous_commit");
        }
        assertThat(problems(settings)).isEmpty();
    }

    /** Even a superuser: it would be told that the schema lacks our tables. */
    @Test
    void whoDoesNotOwnTheExtensionIsToldWhoHasToMakeTheTables() {
        server.execute("CREATE ROLE other_maker LOGIN SUPERUSER");
        try {
            PostgresSettings settings = server.settings("made_by_another", "other_maker");

            assertThatThrownBy(() -> new Migrator(settings, null).migrate())
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("set store.migrator.user=postgres, which is other_maker");
        } finally {
            server.execute("DROP ROLE other_maker");
        }
    }

    @Test
    void tablesOfTheCoordinatorServeAndOnceTheyAreDistributedByKeyTheStartIsRefused() {
        PostgresSettings settings = server.newSettings();
        String schema = settings.schema();
        server.execute("ALTER ROLE postgres SET citus.enable_schema_based_sharding = off");
        try {
            new Migrator(settings, server.owner()).migrate();
        } finally {
            server.execute("ALTER ROLE postgres RESET citus.enable_schema_based_sharding");
        }
        assertThat(problems(settings)).isEmpty();
        try (PostgresStore store = PostgresStore.open(settings)) {
            Incarnation now = store.checkpoints().incarnation();
            assertThat(store.states().save(row(0), Patience.WAIT, now)).containsExactly(true);
        }

        server.execute("SELECT create_distributed_table('%s.state', 'key')".formatted(schema));

        assertThat(problems(settings)).contains("are distributed by Citus (state)");
        try (PostgresStore store = PostgresStore.open(settings)) {
            assertThatThrownBy(() -> store.checkpoints().incarnation())
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("undistribute_table()");
        }
        assertThatThrownBy(() -> new Migrator(settings, server.owner()).migrate())
                .isInstanceOf(RefusedException.class);
    }

    private static String problems(PostgresSettings settings) {
        List<Problem> found = new Preflight(settings, SchemaManagement.AUTO).problems();
        return String.join(" ", found.stream().map(Problem::sentence).toList());
    }

    private static boolean[] save(PostgresFixture fixture, Incarnation life, long fromVersion) {
        return fixture.states().save(row(fromVersion), Patience.WAIT, life);
    }

    private static List<Change> row(long fromVersion) {
        return List.of(
                new Change("a", fromVersion, new byte[] {'1'}, Marks.NONE, null, 0, List.of()));
    }

    private static <T> T afterOutage(Supplier<T> call) {
        for (int attempt = 0; ; attempt++) {
            try {
                return call.get();
            } catch (UnavailableException e) {
                if (attempt == 20) {
                    throw e;
                }
            }
        }
    }
}
