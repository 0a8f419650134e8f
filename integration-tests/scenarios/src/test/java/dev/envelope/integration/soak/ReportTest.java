package dev.envelope.integration.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.cluster.Measures;
import dev.envelope.integration.cluster.Mutant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final TopicPartition PARTITION = new TopicPartition("soak", 0);
    private static final Check HELD = Check.none("lost-apply", "lost", 0);
    private static final Check BROKEN = Check.none("lost-apply", "lost <here>", 1);
    private static final Check HAPPENED = Check.some("landed", "faults", 3);
    private static final Check MISSED = Check.some("landed", "faults", 0);

    private final Canaries canaries = Canaries.of(1);

    @TempDir private Path folder;

    @Test
    void whatHeldUnderFaultsIsGreen() throws Exception {
        assertThat(written(HELD, HAPPENED)).isEqualTo(SoakVerdict.Word.GREEN);
    }

    @Test
    void aBrokenPromiseIsRedWhateverElseHappened() throws Exception {
        assertThat(written(BROKEN, MISSED)).isEqualTo(SoakVerdict.Word.RED);
    }

    @Test
    void aRunThatCouldNotHaveFailedIsInvalid() throws Exception {
        assertThat(written(HELD, MISSED)).isEqualTo(SoakVerdict.Word.INVALID);
    }

    @Test
    void aSecretInALogIsRed() throws Exception {
        Report report = new Report(plan());
        Files.writeString(folder.resolve("seed/logs/one.log"), canaries.storePassword());

        SoakResult complete = report.write(result(HELD, HAPPENED), canaries);

        assertThat(complete.verdict().word()).isEqualTo(SoakVerdict.Word.RED);
        assertThat(complete.verdict().failed()).extracting(Check::name).containsExactly("secrets");
    }

    @Test
    void thePageNeedsNothingButItself() throws Exception {
        new Report(plan()).write(result(BROKEN, HAPPENED), canaries);

        String page = Files.readString(folder.resolve("seed/report.html"));
        assertThat(page)
                .contains("<h1 class=\"RED\">", "<svg", "kill -9 mid-fold", "lost &lt;here&gt;")
                .contains("scripts/soak --minutes 2 --seed 7")
                .doesNotContain("<script", "http://", "https://", "<link", "url(");
    }

    private SoakVerdict.Word written(Check promise, Check condition) {
        SoakResult complete = new Report(plan()).write(result(promise, condition), canaries);
        assertThat(folder.resolve("seed/report.html"))
                .content()
                .contains(complete.verdict().word().name());
        assertThat(folder.resolve("seed/report.json"))
                .content()
                .contains("\"verdict\" : \"" + complete.verdict().word() + "\"");
        return complete.verdict().word();
    }

    private SoakPlan plan() {
        return new SoakPlan(
                Duration.ofMinutes(2),
                7,
                3,
                "classic",
                0,
                1,
                1_500,
                FaultKind.all(false),
                Mutant.NONE,
                folder.resolve("seed"));
    }

    private SoakResult result(Check promise, Check condition) {
        Holdings holdings = new Holdings(new Measures(1, 1, 1), 6);
        Strike strike = new Strike(FaultKind.KILL_MID_FOLD, 10_000, 11_000, true);
        Course course =
                new Course(List.of(strike), 5_000, 60_000, 10, 2_000, holdings, holdings, 100, 90);
        List<Timeline.Sample> samples =
                List.of(sample(0, 0, 0), sample(30_000, 50, 20), sample(62_000, 100, 100));
        return new SoakResult(
                plan(),
                new SoakVerdict(List.of(promise), List.of(condition)),
                course,
                samples,
                Map.of(strike, 1_500L),
                3,
                List.of());
    }

    private static Timeline.Sample sample(long millis, long done, long committed) {
        return new Timeline.Sample(
                millis, done, Map.of(PARTITION, 100L), Map.of(PARTITION, committed));
    }
}
