package dev.envelope.integration.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.envelope.integration.stack.StateFile;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import org.slf4j.LoggerFactory;

/**
 * {@code scripts/simulate}: {@code --seeds N [--from S]} runs many, {@code --seed S [--trace]} one,
 * with the engine's log. With {@code --state FILE} it writes down after each thousand how far it
 * is, and whoever is started with that file goes on there, up to {@code N} in all. Exits with 1 at
 * a violation. With {@code --work} the processes keep no rows, with {@code --table} they read a
 * table, and with {@code --places} the rows of all seeds are divided.
 */
public final class SimulationMain {

    private static final long A_STEP = 1_000;

    private SimulationMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        List<String> given = List.of(arguments);
        boolean trace = given.contains("--trace");
        LongFunction<Simulation.Result> world =
                given.contains("--work")
                        ? Simulation::ofWork
                        : given.contains("--table")
                                ? Simulation::ofTable
                                : given.contains("--places")
                                        ? Simulation::ofPlaces
                                        : Simulation::ofRows;
        level(trace ? Level.DEBUG : Level.OFF);
        if (given.contains("--seed")) {
            one(number(given, "--seed", 1), world);
        }
        long seeds = number(given, "--seeds", 1_000);
        if (given.contains("--state")) {
            onwards(Path.of(word(given, "--state", "")), word(given, "--from", ""), seeds, world);
        }
        SimulationRun run = many(number(given, "--from", 1), seeds, world);
        System.out.println(run.counts());
        System.exit(run.violations().isEmpty() ? 0 : 1);
    }

    private static void one(long seed, LongFunction<Simulation.Result> world) {
        Simulation.Result result = world.apply(seed);
        System.out.println("seed " + seed + ": " + result.counts());
        result.violation().ifPresent(it -> it.printStackTrace(System.out));
        System.out.println(result.violation().isPresent() ? "VIOLATION" : "OK");
        System.exit(result.violation().isPresent() ? 1 : 0);
    }

    /** Goes on until so many seeds are done, or some of a thousand break a promise. */
    private static void onwards(
            Path file, String from, long count, LongFunction<Simulation.Result> world)
            throws InterruptedException {
        StateFile state;
        long first;
        try {
            state = StateFile.open(file);
            first = Long.parseLong(state.pin("from", from, "1"));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(64);
            return;
        }
        state.addWord("commits", System.getProperty("campaign.commit", "unknown"));
        state.save();
        boolean goesOn = true;
        while (goesOn && state.count("seeds") < count) {
            long done = state.count("seeds");
            SimulationRun run = many(first + done, Math.min(A_STEP, count - done), world);
            state.add("seeds", Math.min(A_STEP, count - done));
            state.add("messages", run.counts().messages());
            state.add("faults", run.counts().total());
            run.violations().forEach(it -> state.addWord("red", Long.toString(it.seed())));
            state.save();
            goesOn = run.violations().isEmpty();
        }
        String red = state.word("red", "");
        System.out.printf(
                "SIMULATION RAN %s: %d seeds from %d on, %d messages, %d faults%n",
                red.isEmpty() ? "GREEN" : "RED (" + red + ")",
                state.count("seeds"),
                first,
                state.count("messages"),
                state.count("faults"));
        System.exit(red.isEmpty() ? 0 : 1);
    }

    private static SimulationRun many(long from, long count, LongFunction<Simulation.Result> world)
            throws InterruptedException {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors());
        long begin = System.nanoTime();
        SimulationRun run = new SimulationRun(from, count, world);
        run.run(threads, 20);
        double seconds = (System.nanoTime() - begin) / 1e9;
        for (Simulation.Result result : run.violations()) {
            System.out.println(result.violation().map(Throwable::getMessage).orElse(""));
            System.out.println("    " + result.replay());
        }
        System.out.printf(
                "%d seeds in %.0f s (%.0f/s): %d violations%n",
                count, seconds, count / seconds, run.violations().size());
        return run;
    }

    private static void level(Level level) {
        ((Logger) LoggerFactory.getLogger("dev.envelope")).setLevel(level);
    }

    private static long number(List<String> given, String option, long otherwise) {
        return Long.parseLong(word(given, option, Long.toString(otherwise)));
    }

    private static String word(List<String> given, String option, String otherwise) {
        int at = given.indexOf(option);
        return at < 0 ? otherwise : given.get(at + 1);
    }
}
