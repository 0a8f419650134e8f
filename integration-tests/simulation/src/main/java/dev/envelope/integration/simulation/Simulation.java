package dev.envelope.integration.simulation;

import java.util.Optional;
import java.util.SplittableRandom;

/** Runs seeds. */
final class Simulation {

    /**
     * What a seed came to.
     *
     * @param option that chooses the world
     * @param violation what was broken, if anything
     */
    record Result(long seed, String option, FaultCounts counts, Optional<Violation> violation) {

        /** The command that shows it again. */
        String replay() {
            return "scripts/simulate --seed " + seed + option + " --trace";
        }
    }

    private Simulation() {}

    /** A seed of processes whose rows are not divided. */
    static Result run(long seed, Wiring wiring) {
        return run(seed, "", SimDivision.NONE, wiring);
    }

    private static Result run(long seed, String option, SimDivision division, Wiring wiring) {
        FaultCounts counts = new FaultCounts();
        return run(
                seed,
                option,
                counts,
                () -> new World(new SplittableRandom(seed), division, wiring, counts).run());
    }

    /** A seed of processes whose rows are divided. */
    static Result places(long seed, Wiring wiring) {
        return run(seed, " --places", SimDivision.dividing(seed), wiring);
    }

    /** The engine as it is, with rows that are divided. */
    static Result ofPlaces(long seed) {
        return places(seed, Wiring.STRAIGHT);
    }

    /** The engine as it is, with rows, which are divided in some seeds. */
    static Result ofRows(long seed) {
        return run(seed, "", SimDivision.of(seed), Wiring.STRAIGHT);
    }

    /** The engine as it is, without rows. */
    static Result ofWork(long seed) {
        return work(seed, WorkWiring.STRAIGHT);
    }

    /** A seed of processes without rows. */
    static Result work(long seed, WorkWiring wiring) {
        FaultCounts counts = new FaultCounts();
        return run(
                seed,
                " --work",
                counts,
                () -> new WorkWorld(new SplittableRandom(seed), wiring, counts).run());
    }

    /** Processes that read a table. */
    static Result ofTable(long seed) {
        return table(seed, TableWiring.STRAIGHT);
    }

    /** A seed of processes that read a table. */
    static Result table(long seed, TableWiring wiring) {
        FaultCounts counts = new FaultCounts();
        return run(
                seed,
                " --table",
                counts,
                () -> new TableWorld(new SplittableRandom(seed), wiring, counts).run());
    }

    private static Result run(long seed, String option, FaultCounts counts, Runnable world) {
        try {
            world.run();
            return new Result(seed, option, counts, Optional.empty());
        } catch (Violation e) {
            return new Result(seed, option, counts, Optional.of(e));
        } catch (RuntimeException e) {
            Violation fault = new Violation("fault", e.toString());
            fault.initCause(e);
            return new Result(seed, option, counts, Optional.of(fault));
        }
    }
}
