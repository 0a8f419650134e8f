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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Consumers whose rows are on a worker, while the servers of the cluster are killed. */
@Tag("citus")
@ExtendWith(OneStack.class)
class CitusServersTest {

    private static final int KEYS = 500;
    private static final int RECORDS = 20_000;

    private final CitusLab lab = new CitusLab();
    private final TestServer coordinator = TestServer.shared();

    @Test
    void nothingIsLostOrDoubledThoughWorkersCoordinatorAndConsumersAreKilled(LocalStack stack) {
        String name = "killed_" + ProcessHandle.current().pid();
        stack.topics().create(name, 4);
        Database database = database(name);
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("store.migrator.user=postgres");
        RunningApp first = RunningApp.start(stack.workspace(), name + "-1", settings);
        first.awaitReady();
        RunningApp second = RunningApp.start(stack.workspace(), name + "-2", settings);
        second.awaitReady();
        int rounds = 0;
        for (String server : List.of("worker", CitusLab.COORDINATOR, "worker", "consumer")) {
            long before = (long) rounds++ * RECORDS;
            Applications.produce(stack, name, RECORDS, KEYS, "{\"amount\": 2}");
            first.await(() -> Applications.counted(database, name) > before);
            if (server.equals("consumer")) {
                second.process().kill();
            } else {
                lab.kill(server.equals("worker") ? CitusLab.serverOf(coordinator, name) : server);
                lab.start();
            }
        }

        long all = (long) rounds * RECORDS;
        first.await(() -> Applications.counted(database, name) >= all);
        assertThat(
                        Applications.first(
                                database,
                                "SELECT string_agg(DISTINCT state->>'n' || ' ' || (state->>'sum'), ', ') FROM "
                                        + name
                                        + ".state"))
                .as("of each key")
                .isEqualTo(all / KEYS + " " + 2 * all / KEYS);
        assertThat(Applications.number(database, "SELECT count(*) FROM " + name + ".state"))
                .isEqualTo(KEYS);
        first.process().kill();
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
