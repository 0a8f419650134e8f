package dev.envelope.integration.soak;

import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.cluster.ConsumerProcess;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.Oracle;
import dev.envelope.integration.oracle.ReferenceReplay;
import java.time.Duration;
import java.util.List;

/**
 * One run, from the first start to the verdict.
 *
 * <p>Threads: one at a time.
 */
final class Soak {

    private static final Duration WARM_UP = Duration.ofSeconds(12);
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final int WARM_ROWS = 200;

    private final SoakPlan plan;
    private final Grounds grounds;
    private final ConsumerGroup group;
    private final Fleet fleet;
    private final Findings findings = new Findings();

    private Soak(SoakPlan plan, Grounds grounds, Canaries canaries, String name) {
        this.plan = plan;
        this.grounds = grounds;
        this.group =
                ConsumerGroup.create(grounds, name, plan.protocol(), SoakPlan.PARTITIONS)
                        .withSlots(plan.slots())
                        .withClientProperties(canaries.clientProperties());
        this.fleet = new Fleet(group, plan.instances(), plan.mutant());
    }

    /** Runs the plan on servers of its own, and writes the report. */
    static SoakResult run(SoakPlan plan) {
        Canaries canaries = Canaries.of(plan.seed());
        String name = "soak" + Math.abs(plan.seed());
        try (Grounds grounds = Grounds.open(canaries, plan.places())) {
            Soak soak = new Soak(plan, grounds, canaries, name);
            try (soak.group) {
                Report report = new Report(plan);
                try {
                    SoakResult result = soak.run();
                    report.keepLogs(grounds.workspace());
                    return report.write(result, canaries);
                } catch (RuntimeException e) {
                    report.keepLogs(grounds.workspace());
                    throw e;
                }
            }
        }
    }

    private SoakResult run() {
        try (ReferenceReplay truth =
                new ReferenceReplay(grounds.directBootstrapServers(), group.name())) {
            Lookout lookout = Lookout.start(grounds, group, truth, findings);
            Timeline timeline = Timeline.start(grounds.topics(), group, SoakPlan.PARTITIONS);
            Course course;
            try (lookout;
                    timeline) {
                course = runCourse(lookout, timeline);
            }
            lookout.lookOnceMore();
            stop(lookout);
            Oracle oracle = group.judge(truth, findings);
            return new Judgement(plan, fleet, course, timeline, findings)
                    .judge(lookout, oracle, truth.expected());
        }
    }

    private Course runCourse(Lookout lookout, Timeline timeline) {
        LedgerWorkload workload = LedgerWorkload.of(group.name(), plan.seed(), SoakPlan.KEYS);
        Conductor conductor = new Conductor(plan, grounds, fleet, lookout, timeline);
        fleet.refill();
        SteadyProducer producer =
                SteadyProducer.start(grounds.directBootstrapServers(), workload, plan.rate());
        Holdings before;
        long faultsFrom;
        try (producer) {
            fleet.awaitSaved(WARM_ROWS, plan.busy());
            Scene.pause(plan.faults().compareTo(WARM_UP) < 0 ? plan.faults() : WARM_UP);
            before = Holdings.of(fleet.veteran(), grounds);
            faultsFrom = timeline.millis();
            conductor.run();
        }
        long faultsUntil = timeline.millis();
        System.out.println("faults are over; healing");
        Timeline.Sample end = timeline.look();
        boolean healed = Scene.awaits(plan.healBound(), () -> isDone(timeline));
        long healMillis = timeline.millis() - faultsUntil;
        if (!healed) {
            System.out.println(GroupPicture.of(grounds.topics(), group.name()));
        }
        lookout.expect(
                healed, "stall: lag " + timeline.look().lag() + " after " + plan.healBound());
        Scene.pause(QUIET);
        Holdings after = Holdings.of(fleet.veteran(), grounds);
        return new Course(
                conductor.strikes(),
                faultsFrom,
                faultsUntil,
                end.lag().orElse(-1),
                healMillis,
                before,
                after,
                producer.sent(),
                producer.acknowledged());
    }

    private boolean isDone(Timeline timeline) {
        fleet.refill();
        Scene.pause(Duration.ofMillis(200));
        return timeline.look().lag().orElse(1) == 0;
    }

    /** In good order, with nothing left to save; what the threads were doing is in the logs. */
    private void stop(Lookout lookout) {
        List<ConsumerProcess> running = fleet.running();
        running.forEach(ConsumerProcess::dumpThreads);
        for (ConsumerProcess process : running) {
            if (process.isAlive()) {
                lookout.expect(process.stop(), process.instance() + " left something unsaved");
            }
        }
    }
}
