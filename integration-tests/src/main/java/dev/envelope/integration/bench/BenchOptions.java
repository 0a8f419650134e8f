package dev.envelope.integration.bench;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the benchmark is asked to do.
 *
 * <p>Threads: immutable.
 *
 * @param watchesHeap whether contestants collect all through their run, to find their live heap:
 *     then their speed says nothing
 * @param profiles whether contestants write flight recordings into the output
 * @param output where the results go
 */
record BenchOptions(
        int rounds,
        List<Workload> workloads,
        List<Contestant> contestants,
        boolean watchesHeap,
        boolean profiles,
        Path output) {

    /** Of every contestant: the same heap and the same collector. */
    static final List<String> JVM =
            List.of(
                    "-Xms1g",
                    "-Xmx1g",
                    "-XX:+UseParallelGC",
                    "-XX:-UsePerfData",
                    "-Dlogback.configurationFile=dev/envelope/integration/bench/logback.xml");

    static final String USAGE =
            """
            usage: scripts/bench [--quick] [--rounds N] [--records N] [--workloads 1000,100k,unique]
                                 [--contestants envelope,fold,loop,record] [--heap] [--profile]
              --quick     one round of 100,000 records, for a first look
              --heap      live heap of ours with 2,000,000 keys; says nothing about speed
              --profile   a flight recording of each contestant beside the results
            """;

    private static final Map<String, Contestant> CONTESTANTS = contestantsByName();

    private static Map<String, Contestant> contestantsByName() {
        Map<String, Contestant> byName = new LinkedHashMap<>();
        for (Contestant each :
                List.of(
                        Contestant.ENVELOPE,
                        Contestant.BATCH_LOOP,
                        Contestant.ENVELOPE_FOLD,
                        Contestant.RECORD_LOOP)) {
            byName.put(each.name(), each);
        }
        return byName;
    }

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException if it can't be understood
     */
    static BenchOptions parse(List<String> arguments, Path output) {
        int rounds = 3;
        int records = 1_000_000;
        List<String> workloads = List.of("1000", "100k", "unique");
        List<String> contestants = List.copyOf(CONTESTANTS.keySet());
        boolean heap = false;
        boolean profile = false;
        Deque<String> rest = new ArrayDeque<>(arguments);
        while (!rest.isEmpty()) {
            String option = rest.removeFirst();
            switch (option) {
                case "--quick" -> {
                    rounds = 1;
                    records = 100_000;
                    workloads = List.of("1000", "unique");
                }
                case "--heap" -> {
                    heap = true;
                    rounds = 1;
                    records = 2_000_000;
                    workloads = List.of("100k", "unique");
                    contestants = List.of("envelope", "fold");
                }
                case "--profile" -> profile = true;
                case "--rounds" -> rounds = Integer.parseInt(value(option, rest));
                case "--records" -> records = Integer.parseInt(value(option, rest));
                case "--workloads" -> workloads = words(value(option, rest));
                case "--contestants" -> contestants = words(value(option, rest));
                default -> throw new IllegalArgumentException("no such option: " + option);
            }
        }
        int each = records;
        return new BenchOptions(
                rounds,
                workloads.stream().map(name -> Workload.of(name, each)).toList(),
                contestants.stream().map(BenchOptions::contestant).toList(),
                heap,
                profile,
                output);
    }

    private static Contestant contestant(String name) {
        Contestant contestant = CONTESTANTS.get(name);
        if (contestant == null) {
            throw new IllegalArgumentException(
                    "no such contestant: " + name + "; there are " + CONTESTANTS.keySet());
        }
        return contestant;
    }

    private static List<String> words(String list) {
        return Arrays.stream(list.split(",")).map(String::strip).toList();
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(option + " wants a value");
        }
        return rest.removeFirst();
    }
}
