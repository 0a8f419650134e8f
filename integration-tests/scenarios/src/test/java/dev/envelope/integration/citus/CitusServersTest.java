package dev.envelope.integration.citus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.postgres.CitusLab;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers whose rows are on a worker, while the servers of the cluster are killed. */
@Tag("citus")
@ExtendWith(OneStack.class)
class CitusServersTest {

    private static final int KEYS = 500;
    private static final int RECORDS = 20_000;

    private final CitusLab lab = new CitusLab();
    private final TestServer coordinator = TestServer.shared();

    /** Slots are places of their own there, since each schema may be on another worker. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsLostOrDoubledThoughWorkersCoordinatorAndConsumersAreKilled(
            int slots, LocalStack stack) {
        String name = "killed_" + slots + "_" + ProcessHandle.current().pid();
        stack.topics().create(name, 4);
        Database database = database(name);
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("store.migrator.user=postgres");
        if (slots == 2) {
            settings.add("store.slots=2");
            settings.add("store.place.b=" + database.url());
            settings.add("store.slots.b=1");
        }
        List<String> schemas = slots == 1 ? List.of(name) : List.of(name + "_00", name + "_01");
        RunningApp first = RunningApp.start(stack.workspace(), name + "-1", settings);
        first.awaitReady();
        RunningApp second = RunningApp.start(stack.workspace(), name + "-2", settings);
        second.awaitReady();
        int rounds = 0;
        for (String server : List.of("worker", CitusLab.COORDINATOR, "worker", "consumer")) {
            long before = (long) rounds++ * RECORDS;
            Applications.produce(stack, name, RECORDS, KEYS, "{\"amount\": 2}");
            first.await(() -> counted(database, schemas) > before);
            if (server.equals("consumer")) {
                second.process().kill();
            } else {
                lab.kill(
                        server.equals("worker")
                                ? CitusLab.serverOf(coordinator, schemas.get(0))
                                : server);
                lab.start();
            }
        }

        long all = (long) rounds * RECORDS;
        first.await(() -> counted(database, schemas) >= all);
        long keys = 0;
        for (String schema : schemas) {
            assertThat(
                            Applications.first(
                                    database,
                                    "SELECT string_agg(DISTINCT state->>'n' || ' ' || (state->>'sum'), ', ') FROM "
                                            + schema
                                            + ".state"))
                    .as("of each key")
                    .isEqualTo(all / KEYS + " " + 2 * all / KEYS);
            keys += Applications.number(database, "SELECT count(*) FROM " + schema + ".state");
        }
        assertThat(keys).isEqualTo(KEYS);
        first.process().kill();
    }

    private static long counted(Database database, List<String> schemas) {
        return schemas.stream().mapToLong(it -> Applications.counted(database, it)).sum();
    }

    private Database database(String role) {
        coordinator.execute("CREATE ROLE " + role + " LOGIN");
        coordinator.execute(
                "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO "
                        + role
                        + "', current_database()); END $$");
        return new Database(coordinator.url(), role, role);
    }
}
