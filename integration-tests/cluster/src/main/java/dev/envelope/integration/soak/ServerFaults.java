package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.Sessions;
import dev.envelope.integration.stack.Server;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * What befalls the broker and Postgres themselves.
 *
 * <p>Threads: the conductor's only.
 */
final class ServerFaults {

    private ServerFaults() {}

    static Map<FaultKind, Breakage> all() {
        Map<FaultKind, Breakage> faults = new EnumMap<>(FaultKind.class);
        faults.put(FaultKind.BROKER_KILL, scene -> kill(scene.grounds().broker(), scene));
        faults.put(FaultKind.BROKER_RESTART, scene -> restart(scene.grounds().broker(), scene));
        faults.put(FaultKind.BROKER_PAUSE, scene -> pause(scene.grounds().broker(), scene));
        faults.put(FaultKind.POSTGRES_KILL, scene -> kill(scene.grounds().postgres(), scene));
        faults.put(FaultKind.POSTGRES_RESTART, scene -> restart(scene.grounds().postgres(), scene));
        faults.put(FaultKind.POSTGRES_PAUSE, scene -> pause(scene.grounds().postgres(), scene));
        faults.put(FaultKind.ROW_LOCK, ServerFaults::lockRows);
        faults.put(FaultKind.DATABASE_BACK, ServerFaults::takeBack);
        return faults;
    }

    private static boolean kill(Server server, Scene scene) {
        boolean busy = Scene.awaits(scene.fleet()::isAtWork);
        server.kill();
        scene.hold(0, 2_500);
        server.start();
        return busy;
    }

    private static boolean restart(Server server, Scene scene) {
        boolean busy = Scene.awaits(scene.fleet()::isAtWork);
        server.stop();
        scene.hold(0, 1_500);
        server.start();
        return busy;
    }

    private static boolean pause(Server server, Scene scene) {
        boolean busy = Scene.awaits(scene.fleet()::isAtWork);
        server.pause();
        try {
            scene.hold(1_000, 7_000);
        } finally {
            server.resume();
        }
        return busy;
    }

    /** It has landed when somebody waits for one of the rows. */
    private static boolean lockRows(Scene scene) {
        try (Sessions sessions = scene.grounds().sessions()) {
            return scene.grounds()
                    .whileRowsAreLocked(
                            scene.slot(),
                            () -> {
                                boolean met =
                                        Scene.awaits(
                                                Duration.ofSeconds(5), sessions::isWaitingForLock);
                                scene.hold(1_000, 5_000);
                                return met;
                            });
        }
    }

    /** Work goes on for a while, Kafka is told of it, and then the database knows nothing of it. */
    private static boolean takeBack(Scene scene) {
        DatabaseCopy copy = DatabaseCopy.of(scene.grounds().postgres());
        scene.hold(2_000, 4_000);
        boolean busy = Scene.awaits(scene.fleet()::isAtWork);
        scene.lookout().whileNotLooking(copy::restore);
        return busy;
    }
}
