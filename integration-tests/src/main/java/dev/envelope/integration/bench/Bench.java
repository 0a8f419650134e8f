package dev.envelope.integration.bench;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * {@code scripts/bench}: tables on standard output and in a folder of their own, progress on
 * standard error. Exits with 1 if a run was disqualified.
 */
public final class Bench {

    private static final String ROLE = "bench";

    /** Beyond the defaults, which are for a machine of the last century; the same for all. */
    private static final Map<String, String> POSTGRES =
            Map.of(
                    "fsync", "on",
                    "synchronous_commit", "on",
                    "shared_buffers", "512MB",
                    "max_wal_size", "8GB",
                    "checkpoint_timeout", "1h",
                    "autovacuum", "off");

    private final BenchOptions options;
    private final Results results = new Results();

    private Bench(BenchOptions options) {
        this.options = options;
    }

    public static void main(String[] arguments)
            throws IOException, SQLException, InterruptedException {
        Path output =
                Path.of(System.getProperty("bench.output", "target/bench"))
                        .toAbsolutePath()
                        .resolve(
                                LocalDateTime.now(ZoneOffset.UTC)
                                        .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")));
        BenchOptions options;
        try {
            options = BenchOptions.parse(List.of(arguments), output);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(BenchOptions.USAGE);
            System.exit(64);
            return;
        }
        System.exit(new Bench(options).run() ? 0 : 1);
    }

    private boolean run() throws IOException, SQLException, InterruptedException {
        Files.createDirectories(options.output());
        say("starting a broker and a Postgres");
        try (LocalStack stack = LocalStack.start(Map.of(), POSTGRES)) {
            Database database = stack.postgres().createDatabase(ROLE);
            Database superuser = stack.postgres().superuser();
            DatabaseMeter meter =
                    new DatabaseMeter(
                            new Database(database.url(), superuser.user(), superuser.password()),
                            ROLE);
            TimedRun timed = new TimedRun(stack, database, meter, options);
            for (Workload workload : options.workloads()) {
                say("filling a topic: %,d records, %s", workload.records(), workload.title());
                Preload.run(stack, workload);
                rounds(timed, workload);
            }
            report(surroundings(meter.durability()));
        }
        return results.disqualifications().isEmpty();
    }

    private void rounds(TimedRun timed, Workload workload)
            throws IOException, SQLException, InterruptedException {
        for (int round = 1; round <= options.rounds(); round++) {
            for (Contestant contestant : options.contestants()) {
                try {
                    Measurement measured = timed.of(contestant, workload);
                    results.add(workload, contestant, round, measured);
                    say(
                            "%-12s round %d  %-28s %8.1f thousand records/s  %5.1f s of CPU",
                            workload.title(),
                            round,
                            contestant.title(),
                            measured.recordsPerSecond() / 1_000,
                            measured.clientCpu());
                } catch (TimedRun.Disqualified e) {
                    String why = String.valueOf(e.getMessage());
                    results.disqualify(workload, contestant, round, why);
                    say("%s, round %d: DISQUALIFIED: %s", contestant.title(), round, why);
                }
            }
        }
    }

    private List<String> surroundings(List<String> server) {
        Runtime machine = Runtime.getRuntime();
        return List.of(
                "%d cores for client, broker and Postgres together; %s %s"
                        .formatted(
                                machine.availableProcessors(),
                                System.getProperty("os.name"),
                                System.getProperty("os.version")),
                "Java %s, contestants with `%s`"
                        .formatted(
                                System.getProperty("java.vm.version"),
                                String.join(" ", BenchOptions.JVM.subList(0, 3))),
                "Kafka %s, %d partitions"
                        .formatted(AppInfoParser.getVersion(), Workload.PARTITIONS),
                "%s; fsync %s, synchronous_commit %s, full_page_writes %s"
                        .formatted(
                                server.get(0).replaceFirst(" on .*", ""),
                                server.get(1),
                                server.get(2),
                                server.get(3)),
                "%d rounds of %,d records; median (min–max), ratios within a round"
                        .formatted(options.rounds(), options.workloads().get(0).records()));
    }

    private void report(List<String> surroundings) throws IOException {
        String markdown =
                new MarkdownReport(options, results)
                        .write(new MarkdownReport.Surroundings(surroundings));
        Files.writeString(options.output().resolve("table.md"), markdown);
        Files.writeString(
                options.output().resolve("summary.json"),
                JsonSummary.of(options, results, surroundings));
        System.out.print(markdown);
        say("in %s", options.output());
    }

    private static void say(String format, Object... arguments) {
        System.err.printf(Locale.ROOT, format + "%n", arguments);
    }
}
