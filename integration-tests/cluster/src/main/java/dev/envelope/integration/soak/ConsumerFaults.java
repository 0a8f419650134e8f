package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.Aim;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.cluster.Sessions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What befalls the processes.
 *
 * <p>Threads: the conductor's only.
 */
final class ConsumerFaults {

    private static final Duration AIMED_WITHIN = Duration.ofSeconds(8);
    private static final Duration TAKEN_WITHIN = Duration.ofSeconds(20);
    private static final int SESSION_MILLIS = 2_000;
    private static final int STORM_CHANGES = 3;

    private ConsumerFaults() {}

    static Map<FaultKind, Breakage> all() {
        Map<FaultKind, Breakage> faults = new EnumMap<>(FaultKind.class);
        faults.put(FaultKind.KILL, ConsumerFaults::kill);
        faults.put(FaultKind.KILL_AFTER_FETCH, scene -> killAt(Aim.AFTER_FETCH, scene));
        faults.put(FaultKind.KILL_MID_FOLD, scene -> killAt(Aim.MID_FOLD, scene));
        faults.put(FaultKind.KILL_AFTER_SAVE, scene -> killAt(Aim.AFTER_SAVE, scene));
        faults.put(FaultKind.KILL_AFTER_ACK, scene -> killAt(Aim.AFTER_ACK, scene));
        faults.put(FaultKind.KILL_DURING_COMMIT, scene -> killAt(Aim.DURING_COMMIT, scene));
        faults.put(FaultKind.TERM, ConsumerFaults::term);
        faults.put(FaultKind.ZOMBIE, ConsumerFaults::freeze);
        faults.put(FaultKind.ZOMBIE_IN_TRANSACTION, ConsumerFaults::freezeInTransaction);
        faults.put(FaultKind.STORM, ConsumerFaults::storm);
        faults.put(FaultKind.KILL_HOLDERS, ConsumerFaults::killHolders);
        faults.put(FaultKind.HANDLER_FAILS, ConsumerFaults::failHandlers);
        return faults;
    }

    static boolean kill(Scene scene) {
        ConsumerProcess victim = scene.fleet().victim(scene.random());
        Scene.awaits(() -> victim.beat().hasWorkInFlight());
        victim.kill();
        return victim.beat().hasWorkInFlight(); // what it left
    }

    private static boolean killAt(Aim aim, Scene scene) {
        ConsumerProcess victim = scene.fleet().victim(scene.random());
        victim.arm(aim, 1 + scene.random().nextInt(aim.mostOccasions()));
        return victim.endsAtItsAim(AIMED_WITHIN) && victim.beat().hasWorkInFlight();
    }

    private static boolean term(Scene scene) {
        ConsumerProcess victim = scene.fleet().victim(scene.random());
        boolean busy = Scene.awaits(() -> victim.beat().hasWorkInFlight());
        boolean complete = victim.stop();
        return busy && complete;
    }

    /** A zombie: the group gives its partitions away, and then it goes on where it was. */
    private static boolean freeze(Scene scene) {
        ConsumerProcess zombie = scene.fleet().any(scene.random());
        boolean busy = Scene.awaits(() -> zombie.beat().get(Count.IN_TURN) > 0);
        zombie.pause();
        try {
            scene.hold(2 * SESSION_MILLIS, 3 * SESSION_MILLIS);
        } finally {
            zombie.resume();
        }
        return busy;
    }

    /** The server must not wait for it: others want its rows. */
    private static boolean freezeInTransaction(Scene scene) {
        ConsumerProcess zombie = scene.fleet().any(scene.random());
        try (Sessions sessions = scene.grounds().sessions()) {
            boolean caught = scene.grounds().freezeInTransaction(zombie, scene.slot(), sessions);
            if (caught) {
                try {
                    scene.hold(2 * SESSION_MILLIS, 3 * SESSION_MILLIS);
                    scene.lookout()
                            .expect(
                                    !sessions.isInTransaction(zombie),
                                    "the server keeps a frozen process' transaction open");
                } finally {
                    zombie.resume();
                }
            }
            return caught;
        }
    }

    /** Members come and go, faster than they are of any use. */
    private static boolean storm(Scene scene) {
        long before = scene.fleet().total(Count.REBALANCES);
        for (int change = 0; change < STORM_CHANGES; change++) {
            ConsumerProcess guest = scene.fleet().start();
            Scene.awaits(Duration.ofSeconds(8), () -> guest.beat().get(Count.PARTITIONS) > 0);
            if (scene.random().nextBoolean()) {
                guest.stop();
            } else {
                guest.kill();
            }
        }
        return scene.fleet().total(Count.REBALANCES) - before >= STORM_CHANGES;
    }

    /** Half of the processes are gone at once: those that have waited take all slots. */
    private static boolean killHolders(Scene scene) {
        List<ConsumerProcess> all = scene.fleet().running();
        Scene.awaits(TAKEN_WITHIN, () -> haveAll(all));
        List<ConsumerProcess> holders = all.stream().filter(it -> partitions(it) > 0).toList();
        List<ConsumerProcess> spares = all.stream().filter(it -> !holders.contains(it)).toList();
        boolean busy = Scene.awaits(scene.fleet()::isAtWork);
        ConsumerProcess veteran = scene.fleet().veteran();
        holders.forEach(it -> end(it, it == veteran));
        boolean taken = Scene.awaits(TAKEN_WITHIN, () -> haveAll(spares));
        veteran.resume();
        scene.lookout().expect(taken, "those that have waited do not hold all slots");
        return busy && taken;
    }

    /** The one that is to live on stands still, until others have what it had. */
    private static void end(ConsumerProcess holder, boolean isVeteran) {
        if (isVeteran) {
            holder.pause();
        } else {
            holder.kill();
        }
    }

    private static boolean haveAll(List<ConsumerProcess> processes) {
        return processes.stream().mapToLong(ConsumerFaults::partitions).sum()
                == SoakPlan.PARTITIONS;
    }

    private static long partitions(ConsumerProcess process) {
        return process.beat().get(Count.PARTITIONS);
    }

    private static boolean failHandlers(Scene scene) {
        long before = scene.fleet().total(Count.FAILED_ATTEMPTS);
        scene.fleet().running().forEach(it -> it.setFailing(true));
        scene.hold(2_000, 5_000);
        scene.fleet().running().forEach(it -> it.setFailing(false));
        return scene.fleet().total(Count.FAILED_ATTEMPTS) > before + 10;
    }
}
