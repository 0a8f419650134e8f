package dev.envelope.integration.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * {@code scripts/simulate}: {@code --seeds N [--from S]} runs many, {@code --seed S [--trace]} one,
 * with the engine's log. Exits with 1 at a violation.
 */
public final class SimulationMain {

    private SimulationMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        List<String> given = List.of(arguments);
        boolean trace = given.contains("--trace");
        level(trace ? Level.DEBUG : Level.OFF);
        if (given.contains("--seed")) {
            one(number(given, "--seed", 1));
        } else {
            many(number(given, "--from", 1), number(given, "--seeds", 1_000));
        }
    }

    private static void one(long seed) {
        Simulation.Result result = Simulation.run(seed, Wiring.STRAIGHT);
        System.out.println("seed " + seed + ": " + result.counts());
        result.violation().ifPresent(it -> it.printStackTrace(System.out));
        System.out.println(result.violation().isPresent() ? "VIOLATION" : "OK");
        System.exit(result.violation().isPresent() ? 1 : 0);
    }

    private static void many(long from, long count) throws InterruptedException {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors());
        long begin = System.nanoTime();
        SimulationRun run = new SimulationRun(from, count, Wiring.STRAIGHT);
        run.run(threads, 20);
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.println(run.counts());
        for (Simulation.Result result : run.violations()) {
            System.out.println(result.violation().map(Throwable::getMessage).orElse(""));
            System.out.println("    " + result.replay());
        }
        System.out.printf(
                "%d seeds in %.0f s (%.0f/s): %d violations%n",
                count, seconds, count / seconds, run.violations().size());
        System.exit(run.violations().isEmpty() ? 0 : 1);
    }

    private static void level(Level level) {
        ((Logger) LoggerFactory.getLogger("dev.envelope")).setLevel(level);
    }

    private static long number(List<String> given, String option, long otherwise) {
        int at = given.indexOf(option);
        return at < 0 ? otherwise : Long.parseLong(given.get(at + 1));
    }
}
