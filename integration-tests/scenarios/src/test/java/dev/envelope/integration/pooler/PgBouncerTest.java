package dev.envelope.integration.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.StateStoreContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.Problem;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.cluster.KillCycles;
import dev.envelope.integration.cluster.Verdict;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalPgBouncer;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With a PgBouncer before the database; skipped where none is installed. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class PgBouncerTest {

    private static final int CONNECTIONS = 40;

    private static @Nullable LocalPgBouncer session;

    @BeforeAll
    static void start(LocalStack stack) {
        assumeTrue(LocalPgBouncer.installed().isPresent(), "no pgbouncer is installed");
        session = LocalPgBouncer.start(stack, "session", CONNECTIONS);
    }

    @AfterAll
    static void stop() {
        if (session != null) {
            session.close();
        }
    }

    private static LocalPgBouncer session() {
        if (session == null) {
            throw new IllegalStateException("none is installed");
        }
        return session;
    }

    @ParameterizedTest
    @ValueSource(strings = {"transaction", "statement"})
    void whereConnectionsAreLentInBetweenTheStartIsRefusedInOneSentence(
            String poolMode, LocalStack stack) {
        String name = "pooled_" + poolMode;
        stack.topics().create(name, 1);
        try (LocalPgBouncer pooler = LocalPgBouncer.start(stack, poolMode, 5)) {
            RunningApp app =
                    RunningApp.start(
                            stack.workspace(),
                            "app-" + name,
                            Applications.settings(
                                    stack.bootstrapServers(), name, pooler.createDatabase(name)));

            assertThat(app.awaitExit()).isEqualTo(78);
            assertThat(app.log())
                    .contains("envelope: a pooler")
                    .contains("pool_mode=session")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void whereOthersUseThePoolAsWellItIsFoundOutAtTheFirstLook(LocalStack stack) throws Exception {
        try (LocalPgBouncer pooler = LocalPgBouncer.start(stack, "transaction", 5)) {
            Database database = pooler.createDatabase("pooled_busily");
            Preflight preflight =
                    new Preflight(
                            new PostgresSettings(
                                    database.url(),
                                    new PostgresSettings.Login(
                                            database.user(), database.password()::toCharArray),
                                    "pooled_busily",
                                    "pooled",
                                    "pooled-1",
                                    1,
                                    PostgresSettings.Timeouts.DEFAULT),
                            SchemaManagement.NONE);
            List<List<Problem>> looks = new ArrayList<>();
            try (OtherClients others = OtherClients.start(database, 3)) {
                for (int look = 0; look < 20; look++) {
                    looks.add(preflight.problemsOfServer());
                }
                others.failIfOneHasFailed();
            }

            assertThat(looks)
                    .allSatisfy(
                            problems ->
                                    assertThat(problems)
                                            .extracting(Problem::sentence)
                                            .singleElement()
                                            .asString()
                                            .startsWith("a pooler in transaction mode"));
        }
    }

    @Tag("long")
    @Test
    void whereSessionsAreKeptNothingIsLostOrDoubledThoughConsumersAreKilled() {
        Verdict verdict = KillCycles.run(session(), KillCycles.Plan.of(4, 43, 2, "classic"));

        assertThat(verdict.isGreen()).as("%s", verdict).isTrue();
    }

    @Tag("long")
    @Nested
    class States extends StateStoreContract {
        @Override
        protected StoreFixture open() {
            Database owner = session().superuser();
            return new PostgresFixture(TestServer.at(owner.url(), owner.user(), owner.password()));
        }
    }
}
