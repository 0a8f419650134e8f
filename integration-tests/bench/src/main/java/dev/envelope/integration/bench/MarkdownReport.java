package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Extra;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The results as tables in Markdown.
 *
 * <p>Threads: one at a time.
 */
final class MarkdownReport {

    private static final double MIB = 1 << 20;

    private final List<Scenario> scenarios;
    private final Results results;
    private final StringBuilder text = new StringBuilder();

    MarkdownReport(List<Scenario> scenarios, Results results) {
        this.scenarios = scenarios;
        this.results = results;
    }

    String write(List<String> surroundings) {
        surroundings.forEach(line -> text.append("- ").append(line).append('\n'));
        goals();
        speed();
        others();
        cost();
        contestants();
        for (String line : results.disqualifications()) {
            text.append("\n**Disqualified:** ").append(line.lines().findFirst().orElse(""));
            text.append('\n');
        }
        return text.toString();
    }

    private void goals() {
        List<Goal.Answer> answers = Goals.answers(results);
        if (answers.isEmpty()) {
            return;
        }
        title("What it should reach", "Ratios within a round, medians.");
        text.append("| workload | against | wanted | measured | reached |\n");
        text.append("|---|---|---:|---:|---|\n");
        for (Goal.Answer answer : answers) {
            text.append('|');
            cell(answer.workload());
            cell(answer.against());
            cell(answer.wanted());
            cell(answer.measured());
            cell(answer.isReached() ? "yes" : "**no**");
            text.append('\n');
        }
    }

    private void speed() {
        List<Scenario> asked = scenarios.stream().filter(Scenario::asksForSpeed).toList();
        if (asked.isEmpty()) {
            return;
        }
        title("Speed", "Median (least–most); ratios within a round.");
        text.append("| workload | contestant | thousand records/s | × loop | × record |\n");
        text.append("|---|---|---:|---:|---:|\n");
        each(
                asked,
                (scenario, contestant) -> {
                    cell(spread(scenario, contestant, Measurement::recordsPerSecond, 1e3), 1);
                    ratio(scenario, contestant, Contestant.LOOP, 2);
                    ratio(scenario, contestant, Contestant.RECORD, 1);
                });
    }

    /** The scenarios that ask for something else. */
    private void others() {
        for (Scenario scenario : scenarios) {
            List<Extra> extras =
                    Arrays.stream(Extra.values()).filter(it -> has(scenario, it)).toList();
            if (!extras.isEmpty()) {
                title(sentence(scenario.title()), "Median (least–most).");
                text.append("| contestant |");
                extras.forEach(extra -> cell(extra.title()));
                text.append("\n|---|").append("---:|".repeat(extras.size())).append('\n');
                for (Contestant contestant : scenario.contestants()) {
                    text.append('|');
                    cell(contestant.title());
                    for (Extra extra : extras) {
                        cell(
                                results.spread(scenario.name(), contestant, m -> m.more(extra)),
                                extra == Extra.P50 ? 2 : 1);
                    }
                    text.append('\n');
                }
            }
        }
    }

    private boolean has(Scenario scenario, Extra extra) {
        return scenario.contestants().stream()
                .anyMatch(
                        it -> results.spread(scenario.name(), it, m -> m.more(extra)).isPresent());
    }

    private void cost() {
        List<Scenario> asked = scenarios.stream().filter(Scenario::asksForSpeed).toList();
        if (asked.isEmpty()) {
            return;
        }
        title("Cost", "Per million records, medians.");
        text.append("| workload | contestant | CPU s client | broker | Postgres ");
        text.append("| rows written | transactions | WAL MiB | peak RSS MiB |\n");
        text.append("|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
        each(
                asked,
                (scenario, contestant) -> {
                    perMillion(scenario, contestant, m -> m.cost().clientCpu(), 1);
                    perMillion(scenario, contestant, m -> m.cost().brokerCpu(), 1);
                    perMillion(scenario, contestant, m -> m.cost().postgresCpu(), 1);
                    perMillion(scenario, contestant, m -> m.cost().rows(), 0);
                    perMillion(scenario, contestant, m -> m.cost().transactions(), 0);
                    perMillion(scenario, contestant, m -> m.cost().walBytes() / MIB, 0);
                    median(scenario, contestant, m -> m.cost().peakResident() / MIB, 0);
                });
    }

    private void contestants() {
        Set<Contestant> all = new LinkedHashSet<>();
        scenarios.forEach(scenario -> all.addAll(scenario.contestants()));
        title("Settings", "Each is tuned as well as we could.");
        text.append("| contestant | settings |\n|---|---|\n");
        for (Contestant contestant : all) {
            text.append('|');
            cell(contestant.title());
            cell(contestant.settings());
            text.append('\n');
        }
    }

    private interface Row {
        void write(Scenario scenario, Contestant contestant);
    }

    private void each(List<Scenario> asked, Row row) {
        for (Scenario scenario : asked) {
            for (Contestant contestant : scenario.contestants()) {
                text.append('|');
                cell(scenario.title());
                cell(title(scenario, contestant));
                row.write(scenario, contestant);
                text.append('\n');
            }
        }
    }

    private void title(String title, String explanation) {
        text.append("\n### ").append(title).append("\n\n").append(explanation).append("\n\n");
    }

    private static String sentence(String title) {
        return title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1);
    }

    /** Marked if it is measured on a part of the records. */
    static String title(Scenario scenario, Contestant contestant) {
        int records = contestant.records(scenario);
        return records == scenario.workload().records()
                ? contestant.title()
                : String.format(Locale.ROOT, "%s (first %,d)", contestant.title(), records);
    }

    private Optional<Spread> spread(
            Scenario scenario,
            Contestant contestant,
            ToDoubleFunction<Measurement> quantity,
            double unit) {
        return results.spread(
                scenario.name(), contestant, m -> Optional.of(quantity.applyAsDouble(m) / unit));
    }

    private void ratio(Scenario scenario, Contestant one, Contestant other, int decimals) {
        if (one.equals(other)) {
            cell("1");
        } else {
            cell(results.ratio(scenario.name(), one, other), decimals);
        }
    }

    private void perMillion(
            Scenario scenario,
            Contestant contestant,
            ToDoubleFunction<Measurement> quantity,
            int decimals) {
        median(scenario, contestant, m -> m.perMillion(quantity.applyAsDouble(m)), decimals);
    }

    private void median(
            Scenario scenario,
            Contestant contestant,
            ToDoubleFunction<Measurement> quantity,
            int decimals) {
        String format = "%,." + decimals + "f";
        cell(
                spread(scenario, contestant, quantity, 1)
                        .map(it -> String.format(Locale.ROOT, format, it.median()))
                        .orElse("–"));
    }

    private void cell(Optional<Spread> spread, int decimals) {
        cell(spread.map(it -> it.text(decimals)).orElse("–"));
    }

    private void cell(String content) {
        text.append(' ').append(content).append(" |");
    }
}
