package dev.envelope.integration.citus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What rows cost that Citus keeps: in a schema that it leaves on the coordinator, and in one that
 * it has put on a worker, beside a database of the same server without Citus. More records by
 * {@code -Dcitus.records}.
 */
@Tag("citus")
@ExtendWith(OneStack.class)
class CitusSpeedTest {

    private static final int RECORDS = Integer.getInteger("citus.records", 20_000);
    private static final int KEYS = Math.min(100_000, RECORDS / 10);
    private static final int AT_ONCE = 500_000;
    private static final String TOPIC = "citus-speed-" + ProcessHandle.current().pid();

    private final TestServer coordinator = TestServer.shared();

    /** How long it took, and the CPU time of all servers. */
    private record Cost(double seconds, double cpuSeconds) {

        String inWords(String where) {
            return "%s: %,.0f records/s, %.1f CPU seconds of Postgres a million"
                    .formatted(where, RECORDS / seconds, cpuSeconds * 1e6 / RECORDS);
        }
    }

    @Test
    void rowsAreKeptOnTheCoordinatorAndOnAWorker(LocalStack stack) {
        stack.topics().create(TOPIC, 8);
        for (int from = 0; from < RECORDS; from += AT_ONCE) {
            Applications.produce(
                    stack,
                    TOPIC,
                    Math.min(AT_ONCE, RECORDS - from),
                    KEYS,
                    "{\"amount\": 2, \"id\": 1234567}");
        }
        coordinator.execute("CREATE DATABASE plain");
        try {
            String plain = coordinator.url().replaceFirst("/[^/]*$", "/plain");
            Cost before = cost(stack, "plain_" + name(), plain, "off");
            Cost local = cost(stack, "local_" + name(), coordinator.url(), "off");
            Cost worker = cost(stack, "worker_" + name(), coordinator.url(), "on");
            Cost after = cost(stack, "again_" + name(), plain, "off");
            System.out.printf(
                    Locale.ROOT,
                    "%,d records of %,d keys%n%s%n%s%n%s%n%s%n",
                    RECORDS,
                    KEYS,
                    before.inWords("without Citus"),
                    local.inWords("on the coordinator"),
                    worker.inWords("on a worker"),
                    after.inWords("without Citus, again"));
        } finally {
            coordinator.execute("ALTER ROLE postgres RESET citus.enable_schema_based_sharding");
            coordinator.execute("DROP DATABASE plain WITH (FORCE)");
        }
    }

    private static String name() {
        return Long.toString(ProcessHandle.current().pid());
    }

    private Cost cost(LocalStack stack, String name, String url, String sharding) {
        coordinator.execute("CREATE ROLE " + name + " LOGIN");
        coordinator.execute(
                "ALTER ROLE postgres SET citus.enable_schema_based_sharding = " + sharding);
        Database database = new Database(url, name, name);
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.remove("topics=" + name);
        settings.addAll(
                List.of("topics=" + TOPIC, "start.from=earliest", "store.migrator.user=postgres"));
        double cpuBefore = cpuOfPostgres();
        RunningApp app = RunningApp.start(stack.workspace(), name, settings);
        try {
            app.awaitReady();
            long begun = System.nanoTime();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> Applications.counted(database, name) >= RECORDS);
            double seconds = (System.nanoTime() - begun) / 1e9;
            double cpu = cpuOfPostgres() - cpuBefore; // while its sessions are there
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
            assertThat(Applications.counted(database, name)).isEqualTo(RECORDS);
            return new Cost(seconds, cpu);
        } finally {
            app.process().kill();
        }
    }

    /** Of the processes that run. */
    private static double cpuOfPostgres() {
        return ProcessHandle.allProcesses()
                        .filter(it -> it.info().command().orElse("").endsWith("/15/bin/postgres"))
                        .mapToLong(
                                it -> it.info().totalCpuDuration().orElse(Duration.ZERO).toMillis())
                        .sum()
                / 1e3;
    }
}
