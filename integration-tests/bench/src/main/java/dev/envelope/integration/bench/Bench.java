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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * {@code scripts/bench}: tables on standard output and, with a page, in a folder of their own,
 * progress on standard error. Exits with 1 if a run was disqualified.
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
                    "autovacuum", "off",
                    "max_connections", "200");

    /** So that two consumers of one process are in the group's first generation, both of them. */
    private static final Map<String, String> BROKER =
            Map.of("group.initial.rebalance.delay.ms", "300");

    private final BenchOptions options;
    private final Results results = new Results();
    private final Set<String> topics = new HashSet<>();

    private Bench(BenchOptions options) {
        this.options = options;
    }

    public static void main(String[] arguments)
            throws IOException, SQLException, InterruptedException {
        Path base = Path.of(System.getProperty("bench.output", "target/bench")).toAbsolutePath();
        List<String> words = List.of(arguments);
        if (words.contains("--help")) {
            System.out.print(BenchOptions.USAGE);
            return;
        }
        if (BenchOptions.publishedFolder(words).isPresent()) {
            new PublishedPage(docs()).replace(BenchOptions.publishedFolder(words).orElseThrow());
            return;
        }
        BenchOptions options;
        try {
            options =
                    BenchOptions.parse(
                            words,
                            base.resolve(
                                    LocalDateTime.now(ZoneOffset.UTC)
                                            .format(
                                                    DateTimeFormatter.ofPattern(
                                                            "yyyyMMdd-HHmmss"))));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(BenchOptions.USAGE);
            System.exit(64);
            return;
        }
        System.exit(new Bench(options).run() ? 0 : 1);
    }

    private static Path docs() {
        return Path.of(System.getProperty("bench.docs", "docs"));
    }

    private boolean run() throws IOException, SQLException, InterruptedException {
        Files.createDirectories(options.output());
        say("starting a broker and a Postgres");
        try (LocalStack stack = LocalStack.start(BROKER, POSTGRES)) {
            Database database = stack.postgres().createDatabase(ROLE);
            Database superuser = stack.postgres().superuser();
            DatabaseMeter meter =
                    new DatabaseMeter(
                            new Database(database.url(), superuser.user(), superuser.password()),
                            ROLE);
            Runs runs = new Runs(new Stage(stack, database, meter, options));
            for (int i = 0; i < options.scenarios().size(); i++) {
                Scenario scenario = options.scenarios().get(i);
                preload(stack, scenario);
                rounds(runs, scenario);
                // What was measured by then is there, even if somebody breaks it off.
                report(options.scenarios().subList(0, i + 1), meter);
                forget(
                        stack,
                        scenario,
                        options.scenarios().subList(i + 1, options.scenarios().size()));
            }
            publish();
        }
        return results.disqualifications().isEmpty();
    }

    private void preload(LocalStack stack, Scenario scenario) {
        if (scenario.isPreloaded() && topics.add(Preload.topicOf(scenario.workload()))) {
            say(
                    "filling a topic: %,d records, %s",
                    scenario.workload().records(), scenario.title());
            Preload.run(stack, scenario.workload());
        }
    }

    /** Gives back the disk of a topic that no later scenario reads. */
    private void forget(LocalStack stack, Scenario scenario, List<Scenario> later) {
        String topic = Preload.topicOf(scenario.workload());
        boolean isNeeded =
                later.stream().anyMatch(it -> Preload.topicOf(it.workload()).equals(topic));
        if (!isNeeded && topics.remove(topic)) {
            stack.topics().delete(topic);
        }
    }

    private void rounds(Runs runs, Scenario scenario)
            throws IOException, SQLException, InterruptedException {
        int rounds = scenario.isRepeated() ? options.rounds() : 1;
        for (int round = 1; round <= rounds; round++) {
            for (Contestant contestant : scenario.contestants()) {
                try {
                    Measurement measured = runs.of(contestant, scenario);
                    results.add(scenario, contestant, round, measured);
                    say(
                            "%-28s round %d  %-34s %8.1f thousand records/s  %5.1f s of CPU  %s",
                            scenario.title(),
                            round,
                            contestant.title(),
                            measured.recordsPerSecond() / 1_000,
                            measured.cost().clientCpu(),
                            measured.more());
                } catch (Disqualified e) {
                    String why = String.valueOf(e.getMessage());
                    results.disqualify(scenario, contestant, round, why);
                    say("%s, round %d: DISQUALIFIED: %s", contestant.title(), round, why);
                }
            }
        }
    }

    private void report(List<Scenario> done, DatabaseMeter meter) throws IOException, SQLException {
        List<String> surroundings = Surroundings.lines(options, meter.durability());
        String markdown = new MarkdownReport(done, results).write(surroundings);
        Files.writeString(options.output().resolve(PublishedPage.TABLES), markdown);
        Files.writeString(
                options.output().resolve("summary.json"),
                JsonSummary.of(options, results, surroundings));
        Files.writeString(
                options.output().resolve(PublishedPage.PAGE),
                new HtmlReport(done, results).write(markdown));
    }

    private void publish() throws IOException {
        if (options.publishes()) {
            new PublishedPage(docs()).replace(options.output());
        }
        System.out.print(Files.readString(options.output().resolve(PublishedPage.TABLES)));
        say("in %s", options.output());
    }

    private static void say(String format, Object... arguments) {
        System.err.printf(Locale.ROOT, format + "%n", arguments);
    }
}
