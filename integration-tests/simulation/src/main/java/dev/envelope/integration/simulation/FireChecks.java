package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.StandingTimer;
import dev.envelope.idempotency.store.output.Output;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What must hold of one look for timers that are due: those that it marks as fired are due, of the
 * partitions that were asked for, the oldest of these, and each has put out its firing, once; and
 * it changes nothing else.
 *
 * <p>Threads: one thread.
 */
final class FireChecks {

    private record Of(String key, String name) {}

    private final World world;
    private final Collection<TopicPartition> owned;
    private final int most;
    private final Map<Of, StandingTimer> before;
    private final Set<SavedOutput> outputsBefore;
    private final Instant now;

    FireChecks(World world, Collection<TopicPartition> owned, int most) {
        this.world = world;
        this.owned = owned;
        this.most = most;
        before = all(world);
        outputsBefore = new HashSet<>(world.database().outputs());
        now = Instant.EPOCH.plusNanos(world.scheduler().now());
    }

    private static Map<Of, StandingTimer> all(World world) {
        Map<Of, StandingTimer> all = new HashMap<>();
        world.database()
                .standingTimers()
                .forEach(
                        (key, names) ->
                                names.forEach((name, timer) -> all.put(new Of(key, name), timer)));
        return all;
    }

    /** It is done. */
    void done() {
        Map<Of, StandingTimer> after = all(world);
        Map<Of, StandingTimer> fired = new HashMap<>();
        before.forEach(
                (of, timer) -> {
                    StandingTimer then = after.get(of);
                    if (then != null && !timer.hasFired() && timer.asFired().equals(then)) {
                        fired.put(of, timer);
                    } else if (!timer.equals(then)) {
                        fail("timer-altered", timer + " of " + of + " has become " + then);
                    }
                });
        List<SavedOutput> put = new ArrayList<>(world.database().outputs());
        put.removeAll(outputsBefore);
        checkOutputs(fired, put);
        checkTimes(fired.values());
        put.forEach(it -> world.checks().outputs().saved(it.rowKey(), List.of(it.output())));
        fired.values().forEach(world.checks().timers()::fired);
    }

    private void checkOutputs(Map<Of, StandingTimer> fired, List<SavedOutput> put) {
        Set<Of> silent = new HashSet<>(fired.keySet());
        for (SavedOutput each : put) {
            Output output = each.output();
            Of of = new Of(each.rowKey(), SimTimers.nameOf(output.headers()));
            StandingTimer timer = fired.get(of);
            if (timer == null) {
                fail("timer-unmarked", of + " is put out and not marked as fired");
            } else if (!silent.remove(of)) {
                fail("timer-repeated", of + " is put out twice");
            } else if (!isFiringOf(output, timer)) {
                fail("timer-altered", timer + " is put out as " + output);
            }
        }
        if (!silent.isEmpty()) {
            fail("timer-lost", silent + " are marked as fired and not put out");
        }
        List<Instant> times =
                put.stream()
                        .map(it -> fired.get(new Of(it.rowKey(), name(it))))
                        .map(it -> it.to().dueAt())
                        .toList();
        if (!times.equals(times.stream().sorted().toList())) {
            fail("timer-order", "those that are due fire in the order " + times);
        }
    }

    private static String name(SavedOutput output) {
        return SimTimers.nameOf(output.output().headers());
    }

    private static boolean isFiringOf(Output output, StandingTimer timer) {
        return output.topic().equals(timer.to().origin().topic())
                && output.origin().partition() == timer.to().origin().partition()
                && Arrays.equals(output.key(), timer.to().origin().keyBytes())
                && Arrays.equals(output.value(), timer.to().payload());
    }

    private void checkTimes(Collection<StandingTimer> fired) {
        if (fired.size() > most) {
            fail("timer-pace", fired.size() + " have fired at once, " + most + " may");
        }
        for (StandingTimer timer : fired) {
            if (timer.to().dueAt().isAfter(now)) {
                fail("timer-early", timer + " has fired at " + now);
            }
            if (!isOwned(timer)) {
                fail("timer-early", timer + " has fired at a process without its partition");
            }
        }
        Instant last =
                fired.stream()
                        .map(it -> it.to().dueAt())
                        .max(Comparator.naturalOrder())
                        .orElse(Instant.MIN);
        for (StandingTimer timer : before.values()) {
            boolean isDue = !timer.hasFired() && isOwned(timer) && !timer.to().dueAt().isAfter(now);
            if (isDue && !fired.contains(timer)) {
                world.faults().landed(Fault.TIMERS_LEFT);
                if (timer.to().dueAt().isBefore(last) || fired.size() < most) {
                    fail("timer-order", timer + " was passed over");
                }
            }
        }
    }

    private boolean isOwned(StandingTimer timer) {
        return owned.contains(timer.to().origin().epoch().partition());
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
