package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.Mutant;
import dev.envelope.integration.cluster.Options;
import dev.envelope.integration.stack.Logging;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The main class behind {@code scripts/soak}. It ends with 0 for GREEN, 1 for RED, 2 for INVALID,
 * and 64 where the options can't be understood.
 *
 * <p>Threads: immutable.
 */
public final class SoakMain {

    private static final String USAGE =
            """
            Faults of every kind around real processes of one application, and a verdict.
              --minutes N    of faults; 5
              --seed N       of the workload and the faults; 1
              --instances N  processes; 3, and 4 with slots, of which every second one waits
              --assignment A group or slots; group
              --places N     database servers that the rows are divided between; 1
              --protocol P   classic or consumer; classic
              --rate N       records a second; 1500
              --only A,B     faults that may strike, by name
              --mutant M     processes that break a promise: DEDUPE_OFF, COMPARE_AND_SET_OFF, COMMIT_ON_FETCH
              --output DIR   of the report; target/soak/seed-N
            """;

    private SoakMain() {}

    public static void main(String[] arguments) {
        Logging.configure();
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        SoakPlan plan;
        try {
            plan = parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
            System.exit(64);
            return;
        }
        System.out.println("running: " + plan.command());
        SoakResult result = Soak.run(plan);
        print(result);
        System.exit(result.verdict().word().exitCode());
    }

    private static void print(SoakResult result) {
        SoakVerdict verdict = result.verdict();
        if (verdict.word() != SoakVerdict.Word.GREEN) {
            System.out.println("again with: " + result.plan().command());
        }
        for (Tally tally : Tally.of(result)) {
            System.out.printf(
                    "  %-32s %3d, %3d met work, healed in %.1f s (worst %.1f s)%n",
                    tally.kind().title(),
                    tally.struck(),
                    tally.landed(),
                    tally.medianHealMillis() / 1_000.0,
                    tally.worstHealMillis() / 1_000.0);
        }
        verdict.promises().forEach(SoakMain::print);
        verdict.conditions().forEach(SoakMain::print);
        result.findings().forEach(System.out::println);
        System.out.println("report: " + result.plan().folder().resolve("report.html"));
        System.out.println("SOAK RAN " + verdict.word());
    }

    private static void print(Check check) {
        System.out.printf(
                "  %-18s %-14s %s%s%n",
                check.name(),
                check.found(),
                check.meaning(),
                check.passed() ? "" : "   <-- " + check.name());
    }

    private static SoakPlan parse(String[] arguments) {
        Options options =
                Options.parse(
                        arguments,
                        "minutes",
                        "seed",
                        "instances",
                        "assignment",
                        "places",
                        "protocol",
                        "rate",
                        "only",
                        "mutant",
                        "output");
        int seed = options.number("seed", 1);
        String output = System.getProperty("soak.output", "target/soak");
        boolean areSlots = areSlots(options.word("assignment", "group"));
        int instances = options.number("instances", areSlots ? 4 : 3);
        double minutes = Double.parseDouble(options.word("minutes", "5"));
        return new SoakPlan(
                Duration.ofMillis(Math.round(minutes * 60_000)),
                seed,
                instances,
                options.word("protocol", "classic"),
                areSlots ? Math.max(1, instances / 2) : 0,
                options.number("places", 1),
                options.number("rate", 1_500),
                kinds(options.word("only", ""), areSlots),
                Mutant.valueOf(options.word("mutant", "NONE").toUpperCase(Locale.ROOT)),
                Path.of(options.word("output", output + "/seed-" + seed)));
    }

    private static boolean areSlots(String word) {
        if (!Set.of("group", "slots").contains(word)) {
            throw new IllegalArgumentException("--assignment is group or slots, not " + word);
        }
        return word.equals("slots");
    }

    private static Set<FaultKind> kinds(String words, boolean areSlots) {
        if (words.isEmpty()) {
            return FaultKind.all(areSlots);
        }
        EnumSet<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        for (String word : words.split(",", -1)) {
            kinds.add(FaultKind.valueOf(word.strip().toUpperCase(Locale.ROOT)));
        }
        return kinds;
    }
}
