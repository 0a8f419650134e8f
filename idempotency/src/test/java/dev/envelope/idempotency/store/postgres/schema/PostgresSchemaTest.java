package dev.envelope.idempotency.store.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.schema.Problem.Cure;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings.Login;
import dev.envelope.idempotency.store.postgres.sql.Sentences;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

/** The migrator, the start-up checks and the settings. */
class PostgresSchemaTest {

    private final TestServer server = TestServer.shared();

    @Test
    void instancesThatStartTogetherMigrateOnce() {
        PostgresSettings settings = server.newSettings();
        List<CompletableFuture<Void>> starts =
                Stream.generate(() -> new Migrator(settings, server.owner()))
                        .limit(4)
                        .map(migrator -> CompletableFuture.runAsync(migrator::migrate))
                        .toList();

        starts.forEach(CompletableFuture::join);

        assertThat(problems(settings)).isEmpty();
        assertThat(server.query("SELECT count(*) FROM " + settings.schema() + ".application"))
                .isEqualTo("1");
    }

    @Test
    void aWorkerWithoutRightsOnTablesStartsOnASchemaOfItsVersion() {
        PostgresSettings settings = server.newMigratedSettings();

        assertThatThrownBy(() -> new Migrator(server.newSettings(), null).migrate())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("store.migrator.user");
        new Migrator(settings, null).migrate();

        assertThat(problems(settings)).isEmpty();
    }

    @Test
    void whoOnlyAsksIsRefusedAsAStartIsAndMakesNothing() {
        PostgresSettings settings = server.newSettings();

        assertThatThrownBy(() -> new Migrator(settings, null).rehearse())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("store.migrator.user")
                .hasMessageContaining("is store.user the wrong one?");
        assertThat(new Migrator(settings, server.owner()).rehearse()).isFalse();
        assertRefused(settings, "lacks our tables");

        assertThat(new Migrator(server.newMigratedSettings(), null).rehearse()).isTrue();
    }

    @Test
    void aSchemaThatWasMadeByHandIsClaimedByTheFirstApplication() {
        PostgresSettings settings = server.newSettings();
        Migrations.after(0, settings).forEach(server::execute);
        server.execute(Migrations.workerRights(settings));

        assertThat(problems(settings)).isEmpty();
        assertThat(server.query("SELECT application_id FROM " + settings.schema() + ".application"))
                .isEqualTo("shop");
    }

    @Test
    void aSchemaOfAnotherApplicationIsRefused() {
        PostgresSettings settings = server.newMigratedSettings();
        PostgresSettings other =
                new PostgresSettings(
                        settings.url(),
                        settings.login(),
                        settings.schema(),
                        "bank",
                        "test-1",
                        1,
                        TestServer.QUICK);

        assertRefused(other, "belongs to the application shop, not to bank");
        assertThatThrownBy(() -> new Migrator(other, server.owner()).migrate())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("belongs to the application shop");
    }

    @Test
    void aMissingSchemaIsRefusedAndWhileRunningWaitedFor() {
        PostgresSettings settings = server.newSettings();

        assertRefused(settings, "lacks our tables");
        try (PostgresStore store = PostgresStore.open(settings)) {
            assertThatThrownBy(
                            () ->
                                    store.states()
                                            .load(List.of("a"), store.checkpoints().incarnation()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("store.schema.management=auto");
        }
    }

    @Test
    void aMissingRightIsRefusedWithTheNameOfTheTable() {
        PostgresSettings settings = server.newMigratedSettings();
        server.execute("REVOKE INSERT ON " + settings.schema() + ".parked FROM worker");

        assertRefused(settings, "(on parked)");

        server.execute("REVOKE ALL ON SCHEMA " + settings.schema() + " FROM worker");
        assertRefused(settings, "lacks a right on schema " + settings.schema());
    }

    @Test
    void theSequenceOfOutputsMustBeThereForTheWorkerAndTakeNoNumbersAhead() {
        PostgresSettings settings = server.newMigratedSettings();
        String sequence = settings.schema() + ".output_position";

        server.execute("ALTER SEQUENCE " + sequence + " CACHE 20");
        assertRefused(settings, "output_position CACHE 1");
        server.execute("ALTER SEQUENCE " + sequence + " CACHE 1");
        assertThat(problems(settings)).isEmpty();

        server.execute("REVOKE ALL ON SEQUENCE " + sequence + " FROM worker");
        assertRefused(settings, "(on output_position)");

        server.execute("DROP SEQUENCE " + sequence + " CASCADE");
        assertRefused(settings, "(without output_position)");
    }

    @Test
    void asynchronousCommitIsRefusedAtStartAndWhileRunning() {
        server.execute("CREATE ROLE hasty LOGIN");
        server.execute("ALTER ROLE hasty SET synchronous_commit = off");
        PostgresSettings settings =
                server.newMigratedSettings().withLogin(new Login("hasty", null));

        assertThat(problems(settings))
                .contains(new Problem(Cure.CHANGE, Sentences.SYNCHRONOUS_COMMIT_OFF));
        try (PostgresStore store = PostgresStore.open(hurried(settings))) {
            assertThatThrownBy(() -> store.checkpoints().incarnation())
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("synchronous_commit");
        }
    }

    @Test
    void aMissingDatabaseIsRefused() {
        PostgresSettings settings = at(server.url().replace("/postgres", "/nowhere"));

        assertRefused(settings, "does not exist");
    }

    @Test
    void aWrongPasswordIsRefusedAndNeverPrinted() {
        String canary = "canary-5bd1";
        PostgresSettings settings =
                server.newSettings().withLogin(new Login("nobody", canary::toCharArray));

        assertRefused(settings, "store.user, store.password");
        assertThat(settings.toString()).doesNotContain(canary);
        assertThat(problems(settings).toString()).doesNotContain(canary);
    }

    @Test
    void aServerThatCannotBeReachedIsWaitedFor() {
        List<Problem> problems = problems(at("jdbc:postgresql://localhost:1/postgres"));

        assertThat(problems).extracting(Problem::cure).containsExactly(Cure.WAIT);
        try (PostgresStore store =
                PostgresStore.open(hurried(at("jdbc:postgresql://localhost:1/postgres")))) {
            assertThatThrownBy(() -> store.checkpoints().incarnation())
                    .isExactlyInstanceOf(UnavailableException.class);
        }
    }

    @Test
    void encryptionThatTheServerDoesNotHaveIsARefusalThatNamesTheSetting() {
        for (String parameter : List.of("sslmode=require", "ssl=true")) {
            PostgresSettings settings = at(server.url() + "?" + parameter);
            assertRefused(settings, "take sslmode out of store.url");
        }
    }

    @Test
    void aLoginThatTheDriverCanNotDoIsARefusalAndOneThatTheServerPutsOffIsNone() {
        SQLException ours =
                new PSQLException("no password was provided", PSQLState.CONNECTION_REJECTED);
        assertThat(new SqlErrors(server.newSettings()).unavailable(ours))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("check store.user, store.password");

        assertThat(SqlErrors.fault(error("08004", "", "not now")))
                .isEqualTo(SqlErrors.Fault.INFRASTRUCTURE);
    }

    @Test
    void aStatementThatTheServerCanNotRunIsARefusalButNotOneWhoseTableWasAltered() {
        SQLException unknown = error("0A000", "Deparse", "could not create distributed plan");
        assertThat(new SqlErrors(server.newSettings()).unavailable(unknown))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("could not create distributed plan");

        assertThat(
                        SqlErrors.fault(
                                error(
                                        "0A000",
                                        "RevalidateCachedQuery",
                                        "cached plan must not change result type")))
                .isEqualTo(SqlErrors.Fault.INFRASTRUCTURE);
    }

    @Test
    void aTransactionThatAnotherHasOvertakenIsTriedAgainAroundIt() {
        assertThat(SqlErrors.fault(error("40001", "", "could not serialize access")))
                .isEqualTo(SqlErrors.Fault.LOCK);
    }

    private static SQLException error(String state, String routine, String message) {
        return new PSQLException(
                new ServerErrorMessage(
                        "SERROR\0C%s\0R%s\0M%s\0".formatted(state, routine, message)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Shop",
                "1shop",
                "a b",
                "a\"; DROP SCHEMA x; --",
                "a.b",
                "pg_shop",
                "information_schema",
                "a234567890123456789012345678901234567890123456789012345678901234",
                "a\u0000",
                "straße"
            })
    void aSchemaNameThatIsNoPlainIdentifierIsRefused(String schema) {
        assertThatThrownBy(() -> server.settings(schema, "worker"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("schema");
    }

    @Test
    void aRoleNameMayHoldAnything() {
        server.execute("CREATE ROLE \"o'Neill \"\"x\"\"; --\" LOGIN");
        PostgresSettings settings =
                server.newSettings().withLogin(new Login("o'Neill \"x\"; --", null));
        new Migrator(settings, server.owner()).migrate();

        assertThat(problems(settings)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://localhost/x",
                "jdbc:mysql://localhost/x",
                "jdbc:postgresql://localhost/x?password=canary-77",
                "jdbc:postgresql://localhost/x?user=canary-77",
                "jdbc:postgresql://localhost/x?socketTimeout=0",
                "jdbc:postgresql://user:canary-77@localhost/x"
            })
    void aUrlThatSetsWhatIsOursIsRefusedWithoutPrintingIt(String url) {
        assertThatThrownBy(() -> at(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("canary-77");
    }

    @Test
    void timeoutsThatDoNotGrowAreRefused() {
        Duration second = Duration.ofSeconds(1);
        PostgresSettings.Timeouts flat =
                new PostgresSettings.Timeouts(second, second, second, second, second, second);

        assertThat(flat.problems()).singleElement().asString().contains("must grow");
        assertThat(PostgresSettings.Timeouts.DEFAULT.problems()).isEmpty();
    }

    @Test
    void theStoreServesAsSoonAsItsTablesAreThere() {
        PostgresSettings settings = server.newSettings();
        try (PostgresStore store = PostgresStore.open(settings)) {
            Incarnation now = store.checkpoints().incarnation();
            assertThatThrownBy(() -> store.checkpoints().read(Set.of("orders")))
                    .isInstanceOf(RefusedException.class);
            assertThatThrownBy(() -> store.states().load(List.of("a"), now))
                    .isInstanceOf(RefusedException.class);

            new Migrator(settings, server.owner()).migrate();

            assertThat(store.states().load(List.of("a"), now)).isEmpty();
            assertThat(store.checkpoints().read(Set.of("orders")).sources()).isEmpty();
        }
    }

    private void assertRefused(PostgresSettings settings, String part) {
        List<Problem> problems = problems(settings);
        assertThat(problems).extracting(Problem::cure).containsExactly(Cure.CHANGE);
        assertThat(problems.get(0).sentence()).contains(part).doesNotContain("\n");
    }

    private static List<Problem> problems(PostgresSettings settings) {
        return new Preflight(settings, SchemaManagement.VALIDATE).problems();
    }

    private PostgresSettings at(String url) {
        return new PostgresSettings(
                url, new Login("worker", null), "nothing", "shop", "test-1", 1, TestServer.QUICK);
    }

    private static PostgresSettings hurried(PostgresSettings settings) {
        PostgresSettings.Timeouts quick = TestServer.QUICK;
        return new PostgresSettings(
                settings.url(),
                settings.login(),
                settings.schema(),
                settings.applicationId(),
                settings.instance(),
                1,
                new PostgresSettings.Timeouts(
                        quick.connect(),
                        Duration.ofMillis(600),
                        quick.lock(),
                        quick.statement(),
                        quick.socket(),
                        quick.idleInTransaction()));
    }
}
