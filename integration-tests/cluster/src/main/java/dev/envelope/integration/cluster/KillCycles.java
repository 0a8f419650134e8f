package dev.envelope.integration.cluster;

import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.CommitSampler;
import dev.envelope.integration.oracle.ExpectedRows;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.Oracle;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.Servers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills consumers with -9 at random and at aimed moments while the workload goes on, starts others
 * in their place, and has the oracle judge what is there at the end. Who is killed has worked for a
 * while or has just been started; whoever takes its place starts while it ends.
 *
 * <p>A kill counts only if the process had work in flight; the run goes on until enough of them do.
 * It is invalid, which is not green, where nothing was there to go wrong: no redelivery, no
 * rebalance, no row saved for several messages at once.
 *
 * <p>Threads: one at a time.
 */
public final class KillCycles {

    private static final int PARTITIONS = 8;
    private static final int KEYS = 499; // no factor in common with the rates of special records
    private static final long MOST_WAIT_MILLIS = 700;
    private static final Aim[] AIMS = Aim.values();

    private final Plan plan;
    private final Random random;
    private final ConsumerGroup group;
    private final Findings findings = new Findings();
    private final Map<Aim, Integer> landed = new EnumMap<>(Aim.class);
    private int missed;

    /**
     * What to do.
     *
     * @param cycles how many kills have to land
     * @param instances processes at a time, beside the one that is being killed
     * @param rate records a second
     */
    public record Plan(
            int cycles, long seed, int instances, String protocol, int rate, Mutant mutant) {

        public static Plan of(int cycles, long seed, int instances, String protocol) {
            return new Plan(cycles, seed, instances, protocol, 1_500, Mutant.NONE);
        }

        /** The same with consumers that break a promise. */
        public Plan with(Mutant other) {
            return new Plan(cycles, seed, instances, protocol, rate, other);
        }
    }

    private KillCycles(Servers servers, Plan plan) {
        this.plan = plan;
        this.random = new Random(plan.seed());
        String name = "kills-%s-%d-%d".formatted(plan.protocol(), plan.seed(), System.nanoTime());
        this.group = ConsumerGroup.create(servers, name, plan.protocol(), PARTITIONS);
    }

    /** Runs the plan on these servers. */
    public static Verdict run(Servers servers, Plan plan) {
        KillCycles cycles = new KillCycles(servers, plan);
        try (cycles.group) {
            return cycles.run();
        }
    }

    private Verdict run() {
        LedgerWorkload workload = LedgerWorkload.of(group.name(), plan.seed(), KEYS);
        try (ReferenceReplay truth = group.replay()) {
            CommitSampler sampler = group.sampler(truth, findings);
            try (WorkloadProducer producer =
                    WorkloadProducer.start(group.bootstrapServers(), workload, plan.rate())) {
                killAndStart(sampler, producer);
            }
            group.awaitDone();
            group.failIfOneHasFailed();
            sampler.sample();
            group.processes().stream()
                    .filter(ConsumerProcess::isAlive)
                    .forEach(ConsumerProcess::stop);
            Oracle oracle = group.judge(truth, findings);
            return verdict(truth.expected(), oracle, sampler);
        }
    }

    private void killAndStart(CommitSampler sampler, WorkloadProducer producer) {
        List<ConsumerProcess> running = new ArrayList<>();
        for (int i = 0; i < plan.instances(); i++) {
            running.add(group.start(plan.mutant()));
        }
        while (total() < plan.cycles()) {
            Aim aim = AIMS[(int) ((plan.seed() + total()) % AIMS.length)]; // one that missed, again
            ConsumerProcess victim = running.remove(random.nextInt(running.size()));
            running.add(group.start(plan.mutant()));
            if (aim == Aim.NONE) {
                killAtRandom(victim);
            } else {
                victim.arm(aim, 1 + random.nextInt(aim.mostOccasions()));
                victim.awaitAim();
            }
            count(aim, victim);
            sampler.sample();
            group.failIfOneHasFailed();
            producer.failIfItHasFailed();
        }
    }

    private void killAtRandom(ConsumerProcess victim) {
        long wait = (long) (random.nextDouble() * MOST_WAIT_MILLIS);
        victim.awaitSaved(1);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(wait));
        victim.awaitWork();
        victim.kill();
    }

    private void count(Aim aim, ConsumerProcess victim) {
        if (victim.beat().hasWorkInFlight()) {
            landed.merge(aim, 1, Integer::sum);
        } else {
            missed++;
        }
    }

    private int total() {
        return landed.values().stream().mapToInt(Integer::intValue).sum();
    }

    private Verdict verdict(ExpectedRows truth, Oracle oracle, CommitSampler sampler) {
        return new Verdict(
                Map.copyOf(landed),
                missed,
                truth.log().size(),
                truth.rows().size(),
                group.total(Count.DUPLICATES) - truth.duplicates(),
                truth.duplicates(),
                group.total(Count.REBALANCES),
                group.total(Count.CONFLICTS),
                group.total(Count.FAILED_ATTEMPTS),
                oracle.saves(),
                oracle.savesOfSeveral(),
                sampler.samples(),
                findings);
    }
}
