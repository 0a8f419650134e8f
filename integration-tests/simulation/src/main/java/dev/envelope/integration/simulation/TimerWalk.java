package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.StandingTimer;
import dev.envelope.integration.simulation.TimerRule.Op;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a save must do to the timers of a key, worked out from the timers before it and the messages
 * that it applies, independently of the engine. Where it is not known whether a message was
 * applied, or in which order those of two sources were, several results are right.
 *
 * <p>Threads: one thread, one save.
 */
final class TimerWalk {

    /** Whether a firing counts, as far as that can be said. */
    enum Count {
        YES,
        PERHAPS,
        NO
    }

    /**
     * What may have become of a timer.
     *
     * @param by the place of the message; null if the timer is as it was
     * @param set what the message has set it to; null if it has ended it
     */
    private record Outcome(@Nullable String by, @Nullable Op set) {

        static final Outcome UNTOUCHED = new Outcome(null, null);

        boolean is(@Nullable StandingTimer before, @Nullable StandingTimer after) {
            if (by == null) {
                return Objects.equals(before, after);
            }
            return set == null ? after == null : after != null && isSetTo(after, set);
        }

        private boolean isSetTo(StandingTimer timer, Op op) {
            return !timer.hasFired()
                    && timer.to().dueAt().equals(op.dueAt())
                    && payload(timer).equals(op.payload())
                    && Trace.place(timer.to().origin()).equals(by);
        }
    }

    private final Map<String, StandingTimer> before;
    private final Instant now;
    private final boolean isOfOneSource;
    private final Predicate<SimRecord> isStale;
    private final List<Map<String, Set<Outcome>>> sources = new ArrayList<>(); // by name

    /**
     * @param before the timers of the key, by name
     * @param now the database's time
     * @param isStale whether the timer of a firing may have fired once more since, so that it was
     *     not known to have fired when the firing was judged
     */
    TimerWalk(
            Map<String, StandingTimer> before,
            Instant now,
            boolean isOfOneSource,
            Predicate<SimRecord> isStale) {
        this.before = before;
        this.now = now;
        this.isOfOneSource = isOfOneSource;
        this.isStale = isStale;
    }

    /** What comes now is of another source. */
    void nextSource() {
        sources.add(new HashMap<>());
    }

    private Map<String, Set<Outcome>> present() {
        return sources.get(sources.size() - 1);
    }

    /** Whether a firing that comes now counts. */
    Count counts(SimRecord firing) {
        String name = SimTimers.nameOf(firing.record().headers());
        StandingTimer timer = before.get(name);
        boolean isOfIt = timer != null && mayCount(timer) && payload(timer).equals(id(firing));
        Set<Outcome> others = present().getOrDefault(name, Set.of(Outcome.UNTOUCHED));
        if (!isOfIt || !others.contains(Outcome.UNTOUCHED)) {
            return Count.NO;
        }
        return others.size() > 1
                        || !isOfOneSource
                        || !Objects.requireNonNull(timer).hasFired() // was it due when it was read?
                        || isStale.test(firing)
                ? Count.PERHAPS
                : Count.YES;
    }

    private boolean mayCount(StandingTimer timer) {
        return timer.hasFired() || !timer.to().dueAt().isAfter(now);
    }

    /**
     * A message was applied.
     *
     * @param isSure whether it was for sure
     */
    void applied(SimRecord record, boolean isSure) {
        Map<String, Op> last = new HashMap<>();
        if (record.isFiring()) {
            String its = SimTimers.nameOf(record.record().headers());
            last.put(its, new Op(its, null, ""));
        }
        TimerRule.ops(record).forEach(it -> last.put(it.name(), it));
        last.forEach(
                (name, op) -> {
                    Set<Outcome> now =
                            present()
                                    .computeIfAbsent(
                                            name, it -> new HashSet<>(Set.of(Outcome.UNTOUCHED)));
                    if (isSure) {
                        now.clear();
                    }
                    now.add(new Outcome(record.place(), op.dueAt() == null ? null : op));
                });
    }

    /** What is wrong with the timers after the save; null if nothing is. */
    @Nullable String wrong(Map<String, StandingTimer> after) {
        Set<String> names = new HashSet<>(before.keySet());
        names.addAll(after.keySet());
        sources.forEach(it -> names.addAll(it.keySet()));
        for (String name : names) {
            Set<Outcome> right = right(name);
            StandingTimer was = before.get(name);
            StandingTimer is = after.get(name);
            if (right.stream().noneMatch(it -> it.is(was, is))) {
                return name + " was " + was + ", is " + is + ", and may be " + right;
            }
        }
        return null;
    }

    private Set<Outcome> right(String name) {
        Set<Outcome> all = new HashSet<>();
        boolean isTouched = false;
        for (Map<String, Set<Outcome>> source : sources) {
            Set<Outcome> its = source.getOrDefault(name, Set.of(Outcome.UNTOUCHED));
            all.addAll(its);
            isTouched |= !its.contains(Outcome.UNTOUCHED);
        }
        if (isTouched) {
            all.remove(Outcome.UNTOUCHED);
        } else {
            all.add(Outcome.UNTOUCHED);
        }
        return all;
    }

    private static String payload(StandingTimer timer) {
        return new String(timer.to().payload(), StandardCharsets.UTF_8);
    }

    /** What the setting of the timer was, as the firing has it. */
    private static String id(SimRecord firing) {
        byte[] value = firing.record().value();
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }
}
