package dev.envelope.integration.campaign;

import dev.envelope.integration.cluster.Aim;
import dev.envelope.integration.cluster.KillCycles;
import dev.envelope.integration.cluster.Mutant;
import dev.envelope.integration.cluster.Verdict;
import dev.envelope.integration.stack.StateFile;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A great many kills, in batches that are each judged by the oracle, so that a failure names a few
 * of them. What was counted is saved after each batch; one that is interrupted is run again.
 *
 * <p>Threads: one at a time.
 */
final class KillCampaign {

    private static final int HUNDRED = 100;

    private final Plan plan;
    private final StateFile state;
    private final Function<KillCycles.Plan, Verdict> batches;
    private final BooleanSupplier ending;
    private final PrintStream out;

    /**
     * What to do.
     *
     * @param cycles kills in all, those of earlier runs with this state included
     * @param batch kills that are judged together
     * @param protocol {@code classic}, {@code consumer}, or {@code both} in turn
     * @param from the seed of the first batch
     */
    record Plan(int cycles, int batch, String protocol, int from, Mutant mutant) {

        Plan {
            if (cycles < 1 || batch < 1) {
                throw new IllegalArgumentException("at least one kill, in batches of at least one");
            }
            if (!Stream.of("classic", "consumer", "both").toList().contains(protocol)) {
                throw new IllegalArgumentException(
                        protocol + " is none of the protocols classic, consumer and both");
            }
        }

        KillCycles.Plan batch(int number, long kills) {
            boolean isClassic =
                    protocol.equals("both") ? number % 2 == 0 : protocol.equals("classic");
            return KillCycles.Plan.of(
                            (int) Math.min(batch, kills),
                            from + number,
                            2,
                            isClassic ? "classic" : "consumer")
                    .with(mutant);
        }
    }

    /**
     * @param batches runs one of them
     * @param ending whether this process is about to end, so that a batch which fails says nothing
     */
    KillCampaign(
            Plan plan,
            StateFile state,
            Function<KillCycles.Plan, Verdict> batches,
            BooleanSupplier ending,
            PrintStream out) {
        this.plan = plan;
        this.state = state;
        this.batches = batches;
        this.ending = ending;
        this.out = out;
    }

    /**
     * Goes on until all kills are done, or one batch is not green.
     *
     * @return whether every batch was green, those of earlier runs included
     */
    boolean run() {
        if (state.count("batches") > 0) {
            out.println("going on: " + soFar());
        }
        boolean goesOn = true;
        while (goesOn && state.count("kills") < plan.cycles()) {
            long before = state.count("kills");
            int number = (int) state.count("batches");
            goesOn = isGreen(plan.batch(number, plan.cycles() - before));
            if (goesOn && state.count("kills") / HUNDRED > before / HUNDRED) {
                out.println(soFar());
            }
        }
        if (ending.getAsBoolean()) {
            return false;
        }
        boolean isGreen = state.word("red", "").isEmpty();
        out.println("KILL CYCLES RAN " + (isGreen ? "GREEN: " : "RED: ") + soFar());
        return isGreen;
    }

    private boolean isGreen(KillCycles.Plan batch) {
        long begun = System.nanoTime();
        try {
            Verdict verdict = batches.apply(batch);
            if (verdict.isGreen()) {
                book(batch, verdict, begun);
                return true;
            }
            out.println(verdict);
        } catch (RuntimeException e) { // a stall, or a process that ended by itself
            if (ending.getAsBoolean()) {
                return false;
            }
            e.printStackTrace(out);
        }
        state.addWord("red", batch.protocol() + '-' + batch.seed());
        endBatch(begun);
        out.println("again with: " + command(batch));
        return false;
    }

    private void book(KillCycles.Plan batch, Verdict verdict, long begun) {
        verdict.kills().forEach((aim, kills) -> state.add("aim." + aim, kills));
        state.add("protocol." + batch.protocol(), verdict.totalKills());
        state.add("kills", verdict.totalKills());
        state.add("missed", verdict.missed());
        state.add("records", verdict.records());
        state.add("redelivered", verdict.redelivered());
        state.add("rebalances", verdict.rebalances());
        state.add("saves", verdict.saves());
        endBatch(begun);
    }

    private void endBatch(long begun) {
        state.add("batches", 1);
        state.add("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
        state.save();
    }

    private String soFar() {
        String aims =
                Stream.of(Aim.values())
                        .map(it -> state.count("aim." + it) + " " + it)
                        .collect(Collectors.joining(", "));
        String red = state.word("red", "");
        return String.format(
                Locale.ROOT,
                "%d kills with work in flight (%d classic, %d consumer; %s) in %d batches, %s;"
                        + " %d records, %d redelivered and found to be applied, %d rebalances,"
                        + " %d rows saved; %.1f a minute",
                state.count("kills"),
                state.count("protocol.classic"),
                state.count("protocol.consumer"),
                aims,
                state.count("batches"),
                red.isEmpty() ? "all green" : "red: " + red,
                state.count("records"),
                state.count("redelivered"),
                state.count("rebalances"),
                state.count("saves"),
                state.count("kills") * 60_000.0 / Math.max(1, state.count("millis")));
    }

    /** What runs a batch by itself. */
    private static String command(KillCycles.Plan batch) {
        return "scripts/kill-cycles --seed %d --protocol %s --cycles %d%s"
                .formatted(
                        batch.seed(),
                        batch.protocol(),
                        batch.cycles(),
                        batch.mutant() == Mutant.NONE ? "" : " --mutant " + batch.mutant());
    }
}
