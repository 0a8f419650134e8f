package dev.envelope.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchOptionsTest {

    private static final Path OUTPUT = Path.of("out");

    @Test
    void withoutAWordEveryUsualQuestionIsPutToItsOwnContestantsInThreeRounds() {
        BenchOptions options = parse();

        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.scenarios())
                .isEqualTo(Scenario.EVERY.stream().filter(Scenario::isUsual).toList());
        assertThat(Scenario.EVERY).hasSizeGreaterThan(options.scenarios().size());
    }

    @Test
    void quickAsksThreeContestantsOnTwoWorkloads() {
        BenchOptions options = parse("--quick");

        assertThat(options.rounds()).isEqualTo(1);
        assertThat(options.scenarios())
                .extracting(Scenario::name)
                .containsExactly("1000", "unique");
        assertThat(options.scenarios()).allSatisfy(it -> assertThat(it.contestants()).hasSize(3));
        assertThat(options.scenarios())
                .allSatisfy(it -> assertThat(it.workload().records()).isEqualTo(200_000));
    }

    @Test
    void whatIsNamedIsWhatIsAskedInThatOrder() {
        BenchOptions options =
                parse(
                        "--workloads",
                        "zipf, single",
                        "--contestants",
                        "spring,envelope",
                        "--rounds",
                        "5",
                        "--seconds",
                        "7");

        assertThat(options.scenarios())
                .extracting(Scenario::name)
                .containsExactly("zipf", "single");
        assertThat(options.scenarios())
                .allSatisfy(
                        it ->
                                assertThat(it.contestants())
                                        .containsExactly(Contestant.SPRING, Contestant.ENVELOPE));
        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.seconds()).isEqualTo(7);
    }

    @Test
    void recordsAreACeilingForEveryTopic() {
        List<Scenario> scenarios = parse("--records", "20000").scenarios();

        assertThat(scenarios)
                .allSatisfy(it -> assertThat(it.workload().records()).isLessThan(20_001));
        assertThat(scenarios)
                .filteredOn(it -> it.name().equals("unique"))
                .allSatisfy(it -> assertThat(it.workload().keys()).isEqualTo(20_000));
        assertThat(scenarios)
                .filteredOn(it -> it.name().equals("latency1000"))
                .allSatisfy(it -> assertThat(it.workload().records()).isEqualTo(1_000));
    }

    @Test
    void whatCannotBeUnderstoodIsSaid() {
        assertThatThrownBy(() -> parse("--fast")).hasMessageContaining("--fast");
        assertThatThrownBy(() -> parse("--rounds")).hasMessageContaining("wants a value");
        assertThatThrownBy(() -> parse("--rounds", "0")).hasMessageContaining("wants a number");
        assertThatThrownBy(() -> parse("--workloads", "2000"))
                .hasMessageContaining("no such workload: 2000");
        assertThatThrownBy(() -> parse("--contestants", "rabbit"))
                .hasMessageContaining("no such contestant: rabbit");
    }

    @Test
    void aFolderToPublishMeansThatNothingIsRun() {
        assertThat(BenchOptions.publishedFolder(List.of("--publish", "there")))
                .contains(Path.of("there"));
        assertThat(BenchOptions.publishedFolder(List.of("--publish"))).isEmpty();
        assertThat(parse("--publish").publishes()).isTrue();
    }

    @Test
    void usageNamesEveryWorkloadAndContestant() {
        assertThat(Scenario.EVERY)
                .allSatisfy(it -> assertThat(BenchOptions.USAGE).contains(it.name()));
        assertThat(Contestant.EVERY)
                .allSatisfy(it -> assertThat(BenchOptions.USAGE).contains(it.name()));
    }

    private static BenchOptions parse(String... words) {
        return BenchOptions.parse(List.of(words), OUTPUT);
    }
}
