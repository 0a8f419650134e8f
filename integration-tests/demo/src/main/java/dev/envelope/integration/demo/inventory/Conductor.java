package dev.envelope.integration.demo.inventory;

import dev.envelope.integration.demo.group.InstanceGroup;
import dev.envelope.integration.demo.group.SlowDatabase;
import java.time.Duration;

/**
 * Makes something go wrong every quarter of a minute: kills an instance, or makes the database
 * slow.
 *
 * <p>Threads: its own; it holds back while {@code calm} says so.
 */
final class Conductor implements AutoCloseable {

    private static final Duration EVERY = Duration.ofSeconds(15);

    private final InstanceGroup group;
    private final SlowDatabase slowDatabase;
    private final Thread thread = new Thread(this::run, "demo-conductor");
    private volatile boolean isCalm;

    Conductor(InstanceGroup group, SlowDatabase slowDatabase) {
        this.group = group;
        this.slowDatabase = slowDatabase;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            for (int round = 0; ; round++) {
                Thread.sleep(EVERY.toMillis()); // the rhythm is what is shown
                if (!isCalm) {
                    act(round);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
        }
    }

    private void act(int round) {
        switch (round % 4) {
            case 0 -> group.kill(1);
            case 2 -> group.kill(2);
            default -> slowDatabase.begin();
        }
    }

    /** Nothing goes wrong by it until {@link #goOn}. */
    void rest() {
        isCalm = true;
    }

    void goOn() {
        isCalm = false;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
