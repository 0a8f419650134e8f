package dev.envelope.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.bench.Measurement.Extra;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final Scenario KEYS =
            Scenario.find("1000")
                    .orElseThrow()
                    .among(List.of(Contestant.ENVELOPE, Contestant.LOOP, Contestant.RECORD));
    private static final Scenario RATE =
            Scenario.find("latency1000").orElseThrow().among(List.of(Contestant.ENVELOPE));

    private final Results results = new Results();

    @Test
    void aTableSaysSpeedRatioCostAndWhoWasMeasuredOnAPart() {
        measure();

        assertThat(markdown())
                .contains("- two cores")
                .contains(
                        "| 1,000 keys | Envelope, handler class | 500.0 (500.0–500.0) | 2.00"
                                + " (2.00–2.00) | 250.0 (250.0–250.0) |")
                .contains("| one transaction per record (first 20,000) | 2.0 (2.0–2.0) |")
                .contains(
                        "| 1,000 keys | Envelope, handler class | 4.0 | 0.4 | 1.0 | 2,000 | 20 | 3"
                                + " | 512 |");
    }

    @Test
    void whatElseWasAskedHasATableOfItsOwn() {
        measure();

        assertThat(markdown())
                .contains("### 1,000 records/s")
                .contains("| contestant | p50, ms | p99, ms |")
                .contains("| Envelope, handler class | 1.25 (1.25–1.25) | 5.0 (5.0–5.0) |");
    }

    @Test
    void theSettingsOfEveryContestantAndEveryDisqualificationAreListed() {
        measure();
        results.disqualify(KEYS, Contestant.RECORD, 3, "wrong rows: account-1");

        assertThat(markdown())
                .contains("| hand-written loop | two consumers")
                .contains(
                        "**Disqualified:** round 3, 1,000 keys, one transaction per record: wrong"
                                + " rows: account-1");
    }

    @Test
    void thePageIsOneFileWithAChartForEachQuestion() {
        measure();

        String page = new HtmlReport(List.of(KEYS, RATE), results).write(markdown());

        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .contains("prefers-color-scheme:dark")
                .contains("<rect class=\"ours\"")
                .contains("<rect class=\"other\"")
                .contains("<h2>1,000 records/s: p99</h2>")
                .contains("<td>1,000 keys</td>")
                .contains("<code>= ANY</code>")
                .doesNotContain("<script")
                .doesNotContain("http")
                .doesNotContain("src=");
    }

    @Test
    void aBarIsAsLongAsItsMedianAndItsLineAsItsSpread() {
        String svg =
                new BarChart(
                                "speed",
                                "a & b",
                                List.of(
                                        new BarChart.Bar("one", new Spread(50, 40, 100), "ours"),
                                        new BarChart.Bar("two", new Spread(25, 25, 25), "other")))
                        .svg();

        assertThat(svg)
                .contains("width=\"170.0\"")
                .contains("width=\"85.0\"")
                .contains("d=\"M406.0 14.0H610.0\"")
                .contains("a &amp; b");
    }

    @Test
    void onlyWhatStandsBetweenTheMarkersIsReplaced() {
        String document =
                "before\n" + PublishedPage.BEGIN + "\nold\n" + PublishedPage.END + "\nafter\n";

        String once = PublishedPage.replaced(document, "new\n");

        assertThat(once)
                .isEqualTo(
                        "before\n"
                                + PublishedPage.BEGIN
                                + "\n\nnew\n\n"
                                + PublishedPage.END
                                + "\nafter\n");
        assertThat(PublishedPage.replaced(once, "new\n")).isEqualTo(once);
        assertThatThrownBy(() -> PublishedPage.replaced("no markers", "new"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private String markdown() {
        return new MarkdownReport(List.of(KEYS, RATE), results).write(List.of("two cores"));
    }

    private void measure() {
        results.add(KEYS, Contestant.ENVELOPE, 1, measurement(1_000_000, 2));
        results.add(KEYS, Contestant.LOOP, 1, measurement(1_000_000, 4));
        results.add(KEYS, Contestant.RECORD, 1, measurement(20_000, 10));
        results.add(
                RATE,
                Contestant.ENVELOPE,
                1,
                new Measurement(1, 1, Cost.UNKNOWN, Map.of(Extra.P50, 1.25, Extra.P99, 5.0)));
    }

    private static Measurement measurement(long records, double seconds) {
        return new Measurement(
                records, seconds, new Cost(4, 0.4, 1, 20, 2_000, 3 << 20, 512L << 20), Map.of());
    }
}
