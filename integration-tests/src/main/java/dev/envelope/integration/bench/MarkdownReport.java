package dev.envelope.integration.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The results as tables in Markdown.
 *
 * <p>Threads: one at a time.
 */
final class MarkdownReport {

    private static final double MIB = 1 << 20;

    private final BenchOptions options;
    private final Results results;
    private final StringBuilder text = new StringBuilder();

    MarkdownReport(BenchOptions options, Results results) {
        this.options = options;
        this.results = results;
    }

    String write(Surroundings surroundings) {
        surroundings.lines().forEach(line -> text.append("- ").append(line).append('\n'));
        text.append('\n');
        speed();
        cost();
        for (String line : results.disqualifications()) {
            text.append("\n**DISQUALIFIED** ").append(line).append('\n');
        }
        return text.toString();
    }

    private void speed() {
        text.append("| workload | contestant | thousand records/s | × loop | × record |\n");
        text.append("|---|---|---:|---:|---:|\n");
        each(
                (workload, contestant) -> {
                    cell(workload.title());
                    cell(title(workload, contestant));
                    cell(
                            results.spread(workload, contestant, m -> m.recordsPerSecond() / 1_000),
                            1);
                    ratio(workload, contestant, Contestant.BATCH_LOOP, 2);
                    ratio(workload, contestant, Contestant.RECORD_LOOP, 1);
                });
    }

    private void cost() {
        text.append("\nCost of a million records (medians):\n\n");
        text.append("| workload | contestant | CPU s client | broker | Postgres ");
        text.append("| rows written | transactions | WAL MiB | peak RSS MiB | live heap MiB |\n");
        text.append("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        each(
                (workload, contestant) -> {
                    cell(workload.title());
                    cell(title(workload, contestant));
                    perMillion(workload, contestant, Measurement::clientCpu, 1);
                    perMillion(workload, contestant, Measurement::brokerCpu, 1);
                    perMillion(workload, contestant, Measurement::postgresCpu, 1);
                    perMillion(workload, contestant, Measurement::rows, 0);
                    perMillion(workload, contestant, Measurement::transactions, 0);
                    perMillion(workload, contestant, m -> m.walBytes() / MIB, 0);
                    median(workload, contestant, m -> m.peakResident() / MIB, 0);
                    median(
                            workload,
                            contestant,
                            m -> Math.max(m.liveHeap(), m.peakLiveHeap()) / MIB,
                            0);
                });
    }

    private interface Row {
        void write(Workload workload, Contestant contestant);
    }

    private void each(Row row) {
        for (Workload workload : options.workloads()) {
            for (Contestant contestant : options.contestants()) {
                text.append('|');
                row.write(workload, contestant);
                text.append('\n');
            }
        }
    }

    private static String title(Workload workload, Contestant contestant) {
        int records = contestant.records(workload);
        return records == workload.records()
                ? contestant.title()
                : String.format(Locale.ROOT, "%s (first %,d)", contestant.title(), records);
    }

    private void ratio(Workload workload, Contestant one, Contestant other, int decimals) {
        if (one.equals(other)) {
            cell("1");
        } else {
            cell(results.ratio(workload, one, other), decimals);
        }
    }

    private void perMillion(
            Workload workload,
            Contestant contestant,
            ToDoubleFunction<Measurement> quantity,
            int decimals) {
        median(workload, contestant, m -> m.perMillion(quantity.applyAsDouble(m)), decimals);
    }

    private void median(
            Workload workload,
            Contestant contestant,
            ToDoubleFunction<Measurement> quantity,
            int decimals) {
        String format = "%,." + decimals + "f";
        cell(
                results.spread(workload, contestant, quantity)
                        .map(spread -> String.format(Locale.ROOT, format, spread.median()))
                        .orElse("–"));
    }

    private void cell(Optional<Spread> spread, int decimals) {
        cell(spread.map(it -> it.text(decimals)).orElse("–"));
    }

    private void cell(String content) {
        text.append(' ').append(content).append(" |");
    }

    /** What the numbers hold for, a line each. */
    record Surroundings(List<String> lines) {}
}
