package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Extra;
import dev.envelope.integration.stack.page.Html;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The results as one page without scripts or links to anything else: a chart for each question,
 * then the tables of {@link MarkdownReport}.
 *
 * <p>Threads: one at a time.
 */
final class HtmlReport {

    private static final String STYLE =
            """
            :root{color-scheme:light dark;--text:#1d2733;--back:#fff;--soft:#5b6875;--line:#d9dfe5;
            --ours:#0b7a5c;--other:#7d93a8;--limit:#c9b27a}
            @media (prefers-color-scheme:dark){:root{--text:#e3e8ed;--back:#14181d;--soft:#9aa7b4;
            --line:#333c46;--ours:#38c79b;--other:#5f7488;--limit:#8a7a4d}}
            body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;
            color:var(--text);background:var(--back)}
            h2{margin-top:2.5rem;font-size:1.15rem}
            .table{overflow-x:auto}
            table{border-collapse:collapse;font-size:.85rem}
            td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;
            vertical-align:top}
            td.number,th.number{text-align:right;white-space:nowrap}
            svg{width:100%;height:auto;font:12px system-ui,sans-serif;fill:var(--text)}
            svg .label{text-anchor:end}
            .ours{fill:var(--ours)}.other{fill:var(--other)}.limit{fill:var(--limit)}
            .spread{stroke:var(--text);stroke-width:1.5}
            p,li{color:var(--soft)}
            """;

    private final List<Scenario> scenarios;
    private final Results results;
    private final Html page = new Html();

    HtmlReport(List<Scenario> scenarios, Results results) {
        this.scenarios = scenarios;
        this.results = results;
    }

    /**
     * The page.
     *
     * @param markdown the tables
     */
    String write(String markdown) {
        page.add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .add("<meta name=\"viewport\" content=\"width=device-width\">")
                .add("<title>Envelope: what was measured</title>\n<style>\n")
                .add(STYLE)
                .add("</style></head><body>\n<h1>What was measured</h1>\n")
                .add("<p>Bars are medians, the line on a bar goes from the least to the most. ")
                .add("Green is ours, sand is a limit that nobody can pass.</p>\n");
        scenarios.forEach(this::charts);
        page.add(MarkdownTables.html(markdown));
        return page.add("</body></html>\n").toString();
    }

    private void charts(Scenario scenario) {
        if (scenario.asksForSpeed()) {
            chart(
                    scenario,
                    scenario.title(),
                    "thousand/s",
                    m -> Optional.of(m.recordsPerSecond() / 1e3));
        }
        for (Extra extra : Extra.values()) {
            String[] words = extra.title().split(", ", 2);
            chart(scenario, scenario.title() + ": " + words[0], words[1], m -> m.more(extra));
        }
    }

    private void chart(
            Scenario scenario,
            String title,
            String unit,
            Function<Measurement, Optional<Double>> quantity) {
        List<BarChart.Bar> bars = new ArrayList<>();
        for (Contestant contestant : scenario.contestants()) {
            results.spread(scenario.name(), contestant, quantity)
                    .ifPresent(
                            value ->
                                    bars.add(
                                            new BarChart.Bar(
                                                    MarkdownReport.title(scenario, contestant)
                                                            .replace("`", ""),
                                                    value,
                                                    kind(contestant))));
        }
        if (!bars.isEmpty()) {
            page.line("<h2>%s</h2>", Html.inline(title));
            page.add(new BarChart(title, unit, bars).svg());
        }
    }

    private static String kind(Contestant contestant) {
        if (contestant.rows().areOurs()) {
            return "ours";
        }
        return contestant.title().startsWith("limit") ? "limit" : "other";
    }
}
