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
class SoakTest {

    @TempDir private Path folder;

    @Test
    void withDedupeOffAnAimedKillTurnsTheVerdictRed() {
        SoakResult result = run(Mutant.DEDUPE_OFF, EnumSet.of(FaultKind.KILL_AFTER_SAVE));

        assertThat(result.verdict().word()).isEqualTo(SoakVerdict.Word.RED);
        assertThat(result.verdict().failed()).extracting(Check::name).contains("duplicate-apply");
    }

    private SoakResult run(Mutant mutant, Set<FaultKind> kinds) {
        return Soak.run(
                new SoakPlan(
                        Duration.ofSeconds(1),
                        42,
                        1,
                        "classic",
                        0,
                        1_000,
                        kinds,
                        mutant,
                        folder.resolve("report")));
    }
}
