package dev.envelope.integration.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.cluster.Mutant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Tag("long")
class SoakTest {

    @TempDir private Path folder;

    @Test
    void withDedupeOffAnAimedKillTurnsTheVerdictRed() {
        assertRed(run(1, 0, 1, EnumSet.of(FaultKind.KILL_AFTER_SAVE)));
    }

    /** Those that have waited read again what was saved, at two places, and not yet committed. */
    @Test
    void withDedupeOffTheEndOfAllHoldersOfSlotsTurnsItRed() {
        assertRed(run(4, 2, 2, EnumSet.of(FaultKind.KILL_AFTER_SAVE, FaultKind.KILL_HOLDERS)));
    }

    private static void assertRed(SoakResult result) {
        assertThat(result.verdict().word()).isEqualTo(SoakVerdict.Word.RED);
        assertThat(result.verdict().failed()).extracting(Check::name).contains("duplicate-apply");
        assertThat(result.findings()).noneMatch(it -> it.contains("have waited"));
    }

    private SoakResult run(int instances, int slots, int places, Set<FaultKind> kinds) {
        return Soak.run(
                new SoakPlan(
                        Duration.ofSeconds(1),
                        42,
                        instances,
                        "classic",
                        slots,
                        places,
                        1_000,
                        kinds,
                        Mutant.DEDUPE_OFF,
                        folder.resolve("report")));
    }
}
