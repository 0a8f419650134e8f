package dev.envelope.integration.soak;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Has one fault after the other strike, each with its pause before it. What comes when, and for how
 * long, depends on the seed alone; what the processes are doing then does not.
 *
 * <p>Threads: one at a time; the strikes may be read by others.
 */
final class Conductor {

    private static final int LEAST_PAUSE_MILLIS = 300;
    private static final int MORE_PAUSE_MILLIS = 2_200;
    private static final int COMPANION_ONE_IN = 4;

    private final SoakPlan plan;
    private final Grounds grounds;
    private final Fleet fleet;
    private final Lookout lookout;
    private final Timeline timeline;
    private final Map<FaultKind, Breakage> faults = new EnumMap<>(FaultKind.class);
    private final List<Strike> strikes = new CopyOnWriteArrayList<>();

    Conductor(SoakPlan plan, Grounds grounds, Fleet fleet, Lookout lookout, Timeline timeline) {
        this.plan = plan;
        this.grounds = grounds;
        this.fleet = fleet;
        this.lookout = lookout;
        this.timeline = timeline;
        faults.putAll(ConsumerFaults.all());
        faults.putAll(ServerFaults.all());
        faults.putAll(NetworkFaults.all());
    }

    /**
     * Goes on until the time of faults is over and each kind has landed, and leaves nothing broken.
     */
    void run() {
        Deck deck = new Deck(plan.seed(), plan.kinds());
        long end = timeline.millis() + plan.faults().toMillis();
        long lastEnd = end + plan.extension().toMillis();
        while (timeline.millis() < end || (!missing().isEmpty() && timeline.millis() < lastEnd)) {
            Deck.Card card = deck.draw();
            if (timeline.millis() >= end && !missing().contains(card.kind())) {
                continue;
            }
            Random chance = new Random(card.seed());
            Scene.pause(Duration.ofMillis(LEAST_PAUSE_MILLIS + chance.nextInt(MORE_PAUSE_MILLIS)));
            fleet.refill();
            grounds.choose(chance);
            boolean accompanied =
                    card.kind().place() != FaultKind.Place.CONSUMER
                            && chance.nextInt(COMPANION_ONE_IN) == 0;
            Random companions = new Random(chance.nextLong());
            strike(
                    card.kind(),
                    chance,
                    () -> {
                        if (accompanied) {
                            strike(FaultKind.KILL, companions, () -> {});
                        }
                    });
        }
        fleet.refill();
    }

    private void strike(FaultKind kind, Random chance, Runnable companion) {
        Breakage fault = faults.get(kind);
        if (fault == null) {
            throw new IllegalStateException("nobody knows how to do " + kind);
        }
        long from = timeline.millis();
        boolean landed = false;
        try {
            landed = fault.strike(new Scene(chance, grounds, fleet, lookout, companion));
        } catch (RuntimeException e) {
            String what = kind.title() + ": " + e.getMessage();
            // What is ours must bear it, such as a stop that never ends.
            if (kind.place() == FaultKind.Place.CONSUMER) {
                lookout.expect(false, what);
            } else {
                lookout.hampered(what);
            }
            grounds.mend();
        }
        Strike strike = new Strike(kind, from, timeline.millis(), landed);
        strikes.add(strike);
        System.out.printf(
                "%6.1f s  %s%s (%.1f s)%n",
                from / 1_000.0,
                kind.title(),
                landed ? "" : ", found no work",
                (strike.untilMillis() - from) / 1_000.0);
    }

    /** What has not landed yet. */
    private Set<FaultKind> missing() {
        Set<FaultKind> missing = new HashSet<>(plan.kinds());
        strikes.stream().filter(Strike::landed).forEach(it -> missing.remove(it.kind()));
        return missing;
    }

    List<Strike> strikes() {
        return List.copyOf(strikes);
    }
}
