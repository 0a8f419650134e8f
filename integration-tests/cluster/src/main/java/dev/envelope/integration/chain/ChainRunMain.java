package dev.envelope.integration.chain;

import dev.envelope.integration.cluster.Options;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Logging;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * The main class behind {@code scripts/chain}. It ends with 0 where all was green, 1 where it was
 * not, and 64 where the options can't be understood.
 *
 * <p>Threads: one thread.
 */
public final class ChainRunMain {

    private static final String USAGE =
            """
            Three applications in a chain, each reads what the one before emits. Kills their processes at random
            and at stages of a batch, and compares each topic with what has to be there.
              --kills N       100
              --instances N   processes of each application; 2
              --rate N        payments a second; 300
              --seed S        1
              --flaw F        processes that get it wrong: NUMBERS_LOST, TAKEN_FOR_COMMITTED, REVERSED
            """;

    private ChainRunMain() {}

    public static void main(String[] arguments) {
        Logging.configure();
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        ChainRun.Plan plan;
        try {
            plan = plan(Options.parse(arguments, "kills", "instances", "rate", "seed", "flaw"));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
            System.exit(64);
            return;
        }
        System.exit(run(plan) ? 0 : 1);
    }

    private static ChainRun.Plan plan(Options options) {
        ChainRun.Plan plan =
                ChainRun.Plan.of(
                        options.number("kills", 100),
                        options.number("instances", 2),
                        options.number("rate", 300),
                        options.number("seed", 1));
        String flaw = options.word("flaw", "NONE").toUpperCase(Locale.ROOT);
        return plan.with(Flaw.valueOf(flaw), Stage.values());
    }

    /** Keeps the logs of all processes, unless all is well. */
    private static boolean run(ChainRun.Plan plan) {
        long begun = System.nanoTime();
        boolean isGreen = false;
        try (LocalStack stack = LocalStack.start()) {
            try {
                ChainVerdict verdict = ChainRun.run(stack, plan);
                isGreen = verdict.isGreen();
                System.out.printf(
                        "%s%n%d s, %s%n",
                        verdict, (System.nanoTime() - begun) / 1_000_000_000, plan);
                return isGreen;
            } finally {
                if (!isGreen) {
                    Path output = Path.of(System.getProperty("chain.output", "target/chain"));
                    stack.workspace().copyLogs(output.resolve("seed-" + plan.seed()));
                }
            }
        }
    }
}
