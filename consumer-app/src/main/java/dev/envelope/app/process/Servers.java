package dev.envelope.app.process;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.start.StartGate;
import dev.envelope.app.wiring.CheckWiring;
import dev.envelope.app.wiring.PinWiring;
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
    private final StartGate pins;
    private final StartLog log;
    private final Duration timeout;

    private Servers(
            KafkaCheck kafka, StartGate gate, StartGate pins, StartLog log, Duration timeout) {
        this.kafka = kafka;
        this.gate = gate;
        this.pins = pins;
        this.log = log;
        this.timeout = timeout;
    }

    /** Begins to look at them. */
    static Servers ask(Settings settings, ApplicationDatabase database, StartLog log) {
        KafkaCheck kafka = CheckWiring.kafka(settings);
        ServerCheck store = database.beforeStart(Instance.startId());
        StartGate gate = new StartGate(List.of(kafka, store), log::waiting, System::nanoTime);
        StartGate pins =
                new StartGate(
                        List.of(PinWiring.beforeStart(settings, database, kafka)),
                        log::waiting,
                        System::nanoTime);
        return new Servers(
                kafka, gate.begin(), pins, log, settings.get(OperationKeys.START_TIMEOUT));
    }

    /**
     * Returns when they serve and hold nothing that the settings do not fit, or the stop comes.
     *
     * @return false if the stop came first
     */
    boolean await(CountDownLatch stop) throws InterruptedException {
        boolean there = gate.await(timeout, stop) && pins.await(timeout, stop);
        if (there) {
            log.serversAreThere(kafka.partitions());
        }
        return there;
    }
}
