package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.PostgresCheck;
import dev.envelope.app.start.StartGate;
import dev.envelope.app.wiring.CheckWiring;
import dev.envelope.app.wiring.StoreWiring;
import dev.envelope.idempotency.store.postgres.InstanceName;
import dev.envelope.idempotency.store.postgres.PostgresSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The servers that a start needs, looked at while the rest of it goes on.
 *
 * <p>Threads: one thread, the one that starts the process.
 */
final class Servers {

    private final KafkaCheck kafka;
    private final StartGate gate;
    private final StartLog log;
    private final Duration timeout;

    private Servers(KafkaCheck kafka, StartGate gate, StartLog log, Duration timeout) {
        this.kafka = kafka;
        this.gate = gate;
        this.log = log;
        this.timeout = timeout;
    }

    /** Begins to look at them. */
    static Servers ask(Settings settings, PostgresSettings database, StartLog log) {
        KafkaCheck kafka = CheckWiring.kafka(settings);
        PostgresCheck postgres =
                PostgresCheck.beforeStart(
                        database,
                        StoreWiring.management(settings),
                        StoreWiring.migrator(settings, database),
                        claims(settings, database));
        StartGate gate = new StartGate(List.of(kafka, postgres), log::waiting, System::nanoTime);
        return new Servers(kafka, gate.begin(), log, settings.get(OperationKeys.START_TIMEOUT));
    }

    /** What the first start has written down; and, if that is as it should be, our name. */
    private static Runnable claims(Settings settings, PostgresSettings database) {
        Runnable ofTheFirstStart = StoreWiring.claims(settings, database);
        InstanceName name = new InstanceName(database, Instance.startId());
        return () -> {
            ofTheFirstStart.run();
            name.claim();
        };
    }

    /**
     * Returns when they serve, or the stop comes.
     *
     * @return false if the stop came first
     */
    boolean await(CountDownLatch stop) throws InterruptedException {
        boolean there = gate.await(timeout, stop);
        if (there) {
            log.serversAreThere(kafka.partitions());
        }
        return there;
    }
}
