package dev.envelope.integration.simulation;

import java.util.Optional;
import java.util.SplittableRandom;

/** Runs seeds. */
final class Simulation {

    /**
     * What a seed came to.
     *
     * @param violation what was broken, if anything
     */
    record Result(long seed, FaultCounts counts, Optional<Violation> violation) {

        /** The command that shows it again. */
        String replay() {
            return "scripts/simulate --seed " + seed + " --trace";
        }
    }

    private Simulation() {}

    static Result run(long seed, Wiring wiring) {
        FaultCounts counts = new FaultCounts();
        try {
            new World(new SplittableRandom(seed), wiring, counts).run();
            return new Result(seed, counts, Optional.empty());
        } catch (Violation e) {
            return new Result(seed, counts, Optional.of(e));
        } catch (RuntimeException e) {
            Violation fault = new Violation("fault", e.toString());
            fault.initCause(e);
            return new Result(seed, counts, Optional.of(fault));
        }
    }
}
