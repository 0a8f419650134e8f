package dev.envelope.integration.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Aim;
import dev.envelope.integration.cluster.KillCycles;
import dev.envelope.integration.cluster.Mutant;
import dev.envelope.integration.cluster.Verdict;
import dev.envelope.integration.stack.StateFile;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The books of a campaign, with batches that only say what came of them. */
class KillCampaignTest {

    @TempDir private Path folder;

    private final List<String> ran = new ArrayList<>();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private boolean isEnding;

    @Test
    void halfOfThemAreOfEachProtocolAndALineIsWrittenForEachHundred() {
        boolean isGreen = run(250, KillCampaignTest::green);

        assertThat(isGreen).isTrue();
        assertThat(ran)
                .containsExactly(
                        "classic 7 x40",
                        "consumer 8 x40",
                        "classic 9 x40",
                        "consumer 10 x40",
                        "classic 11 x40",
                        "consumer 12 x40",
                        "classic 13 x10");
        assertThat(lines())
                .hasSize(3)
                .anyMatch(
                        it -> it.startsWith("120 kills with work in flight (80 classic, 40 consu"))
                .anyMatch(it -> it.startsWith("200 kills"))
                .anyMatch(it -> it.startsWith("KILL CYCLES RAN GREEN: 250 kills"));
    }

    @Test
    void whoIsInterruptedGoesOnWithTheBatchThatWasNotJudged() {
        boolean first =
                run(
                        120,
                        batch -> {
                            if (batch.seed() == 9) {
                                isEnding = true;
                                throw new IllegalStateException("the servers are gone");
                            }
                            return green(batch);
                        });
        isEnding = false;
        boolean second = run(120, KillCampaignTest::green);

        assertThat(first).isFalse();
        assertThat(second).isTrue();
        assertThat(ran)
                .containsExactly(
                        "classic 7 x40", "consumer 8 x40", "classic 9 x40", "classic 9 x40");
        assertThat(lines())
                .noneMatch(it -> it.contains("again with"))
                .anyMatch(it -> it.startsWith("going on: 80 kills"));
    }

    @Test
    void aRedBatchEndsTheRunNamesItsCommandAndIsNotForgotten() {
        boolean first = run(120, batch -> batch.seed() == 8 ? red(batch) : green(batch));
        boolean second = run(120, KillCampaignTest::green);

        assertThat(first).isFalse();
        assertThat(second).isFalse();
        assertThat(ran)
                .containsExactly(
                        "classic 7 x40", "consumer 8 x40", "classic 9 x40", "consumer 10 x40");
        assertThat(lines())
                .contains(
                        "again with: scripts/kill-cycles --seed 8 --protocol consumer --cycles 40")
                .anyMatch(it -> it.startsWith("KILL CYCLES RAN RED: 40 kills"))
                .anyMatch(
                        it -> it.contains("KILL CYCLES RAN RED: 120") && it.contains("consumer-8"));
    }

    @Test
    void aBatchThatBreaksOffIsRed() {
        boolean isGreen =
                run(
                        40,
                        batch -> {
                            throw new IllegalStateException("stall: 5 of 6");
                        });

        assertThat(isGreen).isFalse();
        assertThat(lines())
                .anyMatch(it -> it.contains("stall: 5 of 6"))
                .contains(
                        "again with: scripts/kill-cycles --seed 7 --protocol classic --cycles 40");
    }

    private boolean run(int cycles, Function<KillCycles.Plan, Verdict> batches) {
        KillCampaign.Plan plan = new KillCampaign.Plan(cycles, 40, "both", 7, Mutant.NONE);
        return new KillCampaign(
                        plan,
                        StateFile.open(folder.resolve("state")),
                        batch -> {
                            ran.add(batch.protocol() + " " + batch.seed() + " x" + batch.cycles());
                            return batches.apply(batch);
                        },
                        () -> isEnding,
                        new PrintStream(printed, true, StandardCharsets.UTF_8))
                .run();
    }

    private List<String> lines() {
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static Verdict green(KillCycles.Plan batch) {
        return verdict(batch, new Findings());
    }

    private static Verdict red(KillCycles.Plan batch) {
        Findings findings = new Findings();
        findings.add(Anomaly.DUPLICATE_APPLY, "twice");
        return verdict(batch, findings);
    }

    private static Verdict verdict(KillCycles.Plan batch, Findings findings) {
        Map<Aim, Integer> kills = Map.of(Aim.AFTER_SAVE, batch.cycles());
        return new Verdict(kills, 0, 1_000, 10, 1, 1, 1, 1, 1, 1, 1, 1, findings);
    }
}
