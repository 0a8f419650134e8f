package dev.envelope.integration.bench;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What the benchmark is asked to do.
 *
 * <p>Threads: immutable.
 *
 * @param seconds how long a run with a blocking handler or at a fixed rate takes
 * @param warmUp how many seconds at a fixed rate do not count, before that
 * @param profiles whether contestants write flight recordings into the output
 * @param publishes whether docs/performance.md gets the result
 * @param output where the results go
 */
record BenchOptions(
        int rounds,
        int seconds,
        int warmUp,
        List<Scenario> scenarios,
        boolean profiles,
        boolean publishes,
        Path output) {

    static final String HEAP = "1g";
    static final String SMALL_HEAP = "256m";

    static final String USAGE =
            """
            usage: scripts/bench [--quick] [--rounds N] [--workloads A,B] [--contestants A,B]
                                 [--records N] [--seconds N] [--warm-up N] [--profile] [--publish]
                   scripts/bench --publish FOLDER
              --quick        three contestants, two workloads, one round of 200,000 records
              --rounds       how often each is asked (3)
              --workloads    %s
              --contestants  %s
              --records      at most so many records of a topic, or records a second
              --seconds      of a run with a blocking handler or a fixed rate (30)
              --warm-up      seconds at a fixed rate that do not count, before that (10)
              --profile      a flight recording of each contestant beside the results
              --publish      puts the result into docs/performance.md; with a folder, that of an
                             earlier run, and nothing is run
            """
                    .formatted(
                            String.join(",", Scenario.EVERY.stream().map(Scenario::name).toList()),
                            String.join(
                                    ",", Contestant.EVERY.stream().map(Contestant::name).toList()));

    private static final int MOST_RECORDS = 100_000_000;

    /** The options of every contestant's JVM: the same heap, collector and young generation. */
    static List<String> jvm(String heap) {
        return List.of(
                "-Xms" + heap,
                "-Xmx" + heap,
                "-XX:+UseParallelGC",
                "-XX:NewRatio=1",
                "-XX:-UsePerfData",
                "-Dlogback.configurationFile=dev/envelope/integration/bench/logback.xml");
    }

    /** The folder of an earlier run, if only that is to be published. */
    static Optional<Path> publishedFolder(List<String> arguments) {
        return arguments.size() == 2 && arguments.get(0).equals("--publish")
                ? Optional.of(Path.of(arguments.get(1)))
                : Optional.empty();
    }

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException if it can't be understood
     */
    static BenchOptions parse(List<String> arguments, Path output) {
        int rounds = 3;
        int seconds = 30;
        int warmUp = 10;
        int records = MOST_RECORDS;
        List<String> workloads =
                Scenario.EVERY.stream().filter(Scenario::isUsual).map(Scenario::name).toList();
        Optional<List<Contestant>> contestants = Optional.empty();
        boolean profile = false;
        boolean publish = false;
        Deque<String> rest = new ArrayDeque<>(arguments);
        while (!rest.isEmpty()) {
            String option = rest.removeFirst();
            switch (option) {
                case "--quick" -> {
                    rounds = 1;
                    records = 200_000;
                    workloads = List.of("1000", "unique");
                    contestants = Optional.of(Scenario.named("envelope,loop,record"));
                }
                case "--profile" -> profile = true;
                case "--publish" -> publish = true;
                case "--rounds" -> rounds = number(option, rest);
                case "--seconds" -> seconds = number(option, rest);
                case "--warm-up" -> warmUp = number(option, rest);
                case "--records" -> records = number(option, rest);
                case "--workloads" -> workloads = words(value(option, rest));
                case "--contestants" ->
                        contestants = Optional.of(Scenario.named(value(option, rest)));
                default -> throw new IllegalArgumentException("no such option: " + option);
            }
        }
        return new BenchOptions(
                rounds,
                seconds,
                warmUp,
                scenarios(workloads, contestants, records),
                profile,
                publish,
                output);
    }

    private static List<Scenario> scenarios(
            List<String> names, Optional<List<Contestant>> contestants, int records) {
        return names.stream()
                .map(BenchOptions::scenario)
                .map(it -> it.atMost(records))
                .map(it -> contestants.map(it::among).orElse(it))
                .toList();
    }

    private static Scenario scenario(String name) {
        return Scenario.find(name)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "no such workload: "
                                                + name
                                                + "; there are "
                                                + Scenario.EVERY.stream()
                                                        .map(Scenario::name)
                                                        .toList()));
    }

    private static List<String> words(String list) {
        return Arrays.stream(list.split(",")).map(String::strip).toList();
    }

    private static int number(String option, Deque<String> rest) {
        String value = value(option, rest);
        if (!value.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException(option + " wants a number, not " + value);
        }
        return Integer.parseInt(value);
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(option + " wants a value");
        }
        return rest.removeFirst();
    }
}
