package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.StandingTimer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of timers: a save sets and ends those that the messages which it applies set and
 * end, and no others; a firing is applied if its timer has fired and nobody has set or ended it
 * since, and not otherwise; the row of a deleted key takes its timers with it; and at the end none
 * that was due is left, nor one whose firing has gone nowhere.
 *
 * <p>Threads: one thread.
 */
final class TimerChecks {

    /** A firing that has come into a log. */
    private record Arrival(SimRecord record, SimPartition log) {}

    private final World world;
    private Map<String, Map<String, StandingTimer>> before = Map.of(); // by key and name
    private final Map<String, Long> firedAt = new HashMap<>(); // by payload, the last time
    private final Map<String, Long> arrivedAt = new HashMap<>(); // by place
    private final Map<String, List<Arrival>> arrivals = new HashMap<>(); // by payload
    private final Set<String> lost = new HashSet<>(); // payloads: their log has gone meanwhile

    TimerChecks(World world) {
        this.world = world;
    }

    // --- saves

    /** The rows of these keys are about to be saved. */
    void saving(Collection<String> keys) {
        if (world.timers().isOn()) {
            before = new HashMap<>();
            keys.forEach(it -> before.put(it, world.database().standingTimers(it)));
        }
    }

    /**
     * A row was saved.
     *
     * @param isOfOneSource whether all messages that it applies are
     */
    TimerWalk walk(String rowKey, boolean isOfOneSource) {
        return new TimerWalk(
                before.getOrDefault(rowKey, Map.of()), now(), isOfOneSource, this::isStale);
    }

    /** Whether it was there before its timer has fired the last time. */
    private boolean isStale(SimRecord firing) {
        Long fired = firedAt.get(payload(firing));
        Long arrived = arrivedAt.get(firing.place());
        return fired == null || arrived == null || arrived <= fired;
    }

    /**
     * A save has come to a firing that does not count.
     *
     * @param had what the row had applied before
     * @param has what it has applied now
     */
    void passedBy(SimRecord firing, Set<String> had, Set<String> has) {
        world.faults().landed(Fault.FIRING_OUT_OF_DATE);
        if (has.contains(firing.place()) && !had.contains(firing.place())) {
            fail("timer-ghost", firing + " was applied, and its timer is not there any more");
        }
    }

    void saved(String rowKey, TimerWalk walk) {
        if (world.timers().isOn()) {
            String wrong = walk.wrong(world.database().standingTimers(rowKey));
            if (wrong != null) {
                fail("timer-wrong", rowKey + ": " + wrong);
            }
        }
    }

    void purged(String rowKey) {
        if (!world.database().standingTimers(rowKey).isEmpty()) {
            fail("timer-purged", "the row of " + rowKey + " was purged, and its timers are there");
        }
    }

    private Instant now() {
        return Instant.EPOCH.plusNanos(world.scheduler().now());
    }

    // --- firings

    /** A process is about to fire some. */
    FireChecks firing(Collection<TopicPartition> owned, int most) {
        return new FireChecks(world, owned, most);
    }

    /** A timer has fired. */
    void fired(StandingTimer timer) {
        String id = new String(timer.to().payload(), StandardCharsets.UTF_8);
        world.faults().landed(Fault.TIMER_FIRED);
        if (firedAt.put(id, world.scheduler().now()) != null) {
            world.faults().landed(Fault.TIMER_FIRED_AGAIN);
        }
    }

    /**
     * A firing has come into the log.
     *
     * @param made null if the log has gone meanwhile
     */
    void arrived(String id, @Nullable SimRecord made, SimPartition log) {
        if (made == null) {
            lost.add(id);
        } else {
            arrivedAt.put(made.place(), world.scheduler().now());
            arrivals.computeIfAbsent(id, it -> new ArrayList<>()).add(new Arrival(made, log));
        }
    }

    // --- the end

    /** Whether a timer should fire now. */
    boolean isAnyDue() {
        Instant now = now();
        return world.timers().isOn()
                && world.database().standingTimers().values().stream()
                        .flatMap(names -> names.values().stream())
                        .anyMatch(it -> !it.hasFired() && !it.to().dueAt().isAfter(now));
    }

    /** At the end of a seed that heals: whatever has fired was applied, or is lost for a reason. */
    void atTheEnd() {
        if (world.timers().isOn()) {
            world.database().standingTimers().forEach((key, names) -> atTheEnd(key, names));
        }
    }

    private void atTheEnd(String key, Map<String, StandingTimer> names) {
        names.forEach(
                (name, timer) -> {
                    String id = new String(timer.to().payload(), StandardCharsets.UTF_8);
                    if (timer.hasFired() && !isExcused(key, timer, id)) {
                        fail("timer-lost", name + " of " + key + " has fired in vain: " + timer);
                    }
                });
    }

    private boolean isExcused(String key, StandingTimer timer, String id) {
        return world.doubts().isOfRow(key)
                || world.doubts().isOfSource(timer.to().origin().epoch().source())
                || lost.contains(id)
                || arrivals.getOrDefault(id, List.of()).stream().anyMatch(this::isGone);
    }

    private boolean isGone(Arrival arrival) {
        SimRecord record = arrival.record();
        SimPartition log = arrival.log();
        return world.log().find(log.name()) != log
                || !log.records().contains(record)
                || !world.checks().progress().isCaughtUp(log)
                || world.losses().mayMiss(record.place())
                || world.losses().isLetGo(record.place())
                || world.checks().rows().wasPutOut(record.place())
                || record.offset() < world.checks().progress().start(log);
    }

    private static String payload(SimRecord firing) {
        byte[] value = firing.record().value();
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
