package dev.envelope.integration.bench.peers.race;

import dev.envelope.integration.bench.OpenLoop;
import dev.envelope.integration.bench.Preload;
import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Logging;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * Runs the contestants one after the other, each in a process of its own, and prints tables of
 * Markdown: throughput of calls that take 0 to 50 ms, latency at a rate, and what is done again
 * after a kill -9.
 */
public final class WorkRace {

    private static final List<String> RACERS = List.of("envelope", "parallel", "spring");
    private static final List<String> PARTS = List.of("speed", "latency", "kill");
    private static final List<String> JVM =
            List.of(
                    "-Xmx1g",
                    "-XX:+UseParallelGC",
                    "-XX:NewRatio=1",
                    "-XX:-UsePerfData",
                    "-Dlogback.configurationFile=dev/envelope/integration/bench/logback.xml");
    private static final int RECORDS = 4_000_000;
    private static final int SECONDS = 16;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int PER_SECOND = 5_000;
    private static final int WARM_UP_SECONDS = 45;
    private static final int COUNTED_SECONDS = 20;
    private static final Duration KILLED_AFTER = Duration.ofSeconds(10);

    private final LocalStack stack;
    private int races;

    private WorkRace(LocalStack stack) {
        this.stack = stack;
    }

    /** A kind of load: which topic, and whether in the order of its keys. */
    private record Load(String name, Workload workload, boolean isKeyed) {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> parts = arguments.length == 0 ? PARTS : Arrays.asList(arguments);
        if (!PARTS.containsAll(parts)) {
            System.err.println("usage: scripts/race [speed] [latency] [kill]");
            System.exit(64);
        }
        Logging.configure();
        try (LocalStack stack = LocalStack.start()) {
            WorkRace race = new WorkRace(stack);
            Workload few = Workload.of("1000", RECORDS);
            Workload many = Workload.of("100k", RECORDS);
            Preload.run(stack, few);
            Preload.run(stack, many);
            System.out.println("at commit " + System.getProperty("bench.commit", "unknown"));
            if (parts.contains("speed")) {
                race.speed(
                        List.of(
                                new Load("1,000 keys", few, true),
                                new Load("100,000 keys", many, true),
                                new Load("unordered", many, false)));
            }
            if (parts.contains("latency")) {
                race.latency();
            }
            if (parts.contains("kill")) {
                race.kill(many);
            }
        }
    }

    private void speed(List<Load> loads) throws IOException, InterruptedException {
        System.out.println(
                "\n| a call takes | order | at once | contestant | calls/s | of at once / time |"
                        + " CPU µs a call | live heap MiB |\n|--:|---|--:|---|--:|--:|--:|--:|");
        for (int millis : List.of(0, 1, 5, 50)) {
            for (Load load : loads) {
                speed(load, 64, millis);
            }
        }
        for (int millis : List.of(5, 50)) {
            speed(loads.get(1), 1_000, millis);
        }
    }

    private void speed(Load load, int atOnce, int millis)
            throws IOException, InterruptedException {
        for (String racer : RACERS) {
            if (load.isKeyed() && racer.equals("spring")) {
                continue; // it keeps no order
            }
            Race race =
                    race(
                            racer,
                            Preload.topicOf(load.workload()),
                            load.isKeyed(),
                            atOnce,
                            millis,
                            RECORDS,
                            SECONDS,
                            "");
            Properties result = run(race);
            double perSecond = number(result, "perSecond");
            System.out.printf(
                    Locale.ROOT,
                    "| %d ms | %s | %,d | %s | %,.0f | %s | %.1f | %.0f |%n",
                    millis,
                    load.name(),
                    atOnce,
                    racer,
                    perSecond,
                    millis == 0 ? "" : "%.2f".formatted(perSecond * millis / 1e3 / atOnce),
                    number(result, "cpuMicros"),
                    number(result, "heap") / (1 << 20));
        }
    }

    /** At a rate that all of them can keep, in the order of keys, with calls of a millisecond. */
    private void latency() throws IOException, InterruptedException {
        System.out.printf(
                "%n| %,d records/s, 1 ms, 64 at once | p50 ms | p99 ms | calls |%n|---|--:|--:|--:|%n",
                PER_SECOND);
        for (String racer : List.of("envelope", "parallel")) {
            int warmUp = PER_SECOND * WARM_UP_SECONDS;
            int records = warmUp + PER_SECOND * COUNTED_SECONDS;
            String topic = "paced-" + racer;
            try (OpenLoop loop =
                    OpenLoop.start(
                            stack, topic, Workload.of("100k", records), PER_SECOND, warmUp)) {
                Race race =
                        race(racer, topic, true, 64, 1, records, WARM_UP_SECONDS + 2 * COUNTED_SECONDS, "");
                Path result = result();
                ChildProcess process = start(race, result);
                loop.begin();
                Properties found = await(process, result);
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %.1f | %.1f | %,.0f |%n",
                        racer,
                        number(found, "p50"),
                        number(found, "p99"),
                        number(found, "counted"));
            }
        }
    }

    /** What a second process does again that the first, killed with -9, has done. */
    private void kill(Workload workload) throws IOException, InterruptedException {
        System.out.println(
                "\n| killed with -9 at 5 ms, 64 at once | done before | done again |\n|---|--:|--:|");
        for (String racer : List.of("envelope", "parallel")) {
            Path done = stack.workspace().folder().resolve("done-" + racer);
            Race race =
                    race(
                            racer,
                            Preload.topicOf(workload),
                            true,
                            64,
                            5,
                            RECORDS,
                            600,
                            done.toString());
            ChildProcess first = start(race, result());
            while (count(done, 1) == 0) {
                Thread.sleep(100); // nobody tells of the first
            }
            Thread.sleep(KILLED_AFTER.toMillis()); // it works
            first.kill();
            long before = count(done, 1);
            ChildProcess second = start(race, result());
            while (count(done, 1) < before + 20_000) {
                Thread.sleep(100); // nobody tells of the last
            }
            second.kill();
            System.out.printf("| %s | %,d | %,d |%n", racer, before, count(done, 2));
        }
    }

    /** How many records were done at least so often. */
    private static long count(Path done, int times) throws IOException {
        if (!Files.exists(done)) {
            return 0;
        }
        long count = 0;
        for (byte often : Files.readAllBytes(done)) {
            count += often >= times ? 1 : 0;
        }
        return count;
    }

    private Race race(
            String racer,
            String topic,
            boolean isKeyed,
            int atOnce,
            int millis,
            int records,
            int seconds,
            String done) {
        return new Race(
                racer,
                stack.bootstrapServers(),
                topic,
                "race-" + racer + "-" + ++races,
                isKeyed,
                atOnce,
                millis,
                records,
                seconds,
                done);
    }

    private Properties run(Race race) throws IOException {
        Path result = result();
        return await(start(race, result), result);
    }

    private Path result() {
        return stack.workspace().folder().resolve("result-" + races + "-" + System.nanoTime());
    }

    private ChildProcess start(Race race, Path result) throws IOException {
        Path file = stack.workspace().folder().resolve("race-" + races + "-" + System.nanoTime());
        race.write(file);
        return stack.workspace()
                .start(
                        race.group(),
                        new JavaCommand(
                                Racer.class.getName(),
                                System.getProperty("java.class.path", ""),
                                JVM,
                                List.of(file.toString(), result.toString())));
    }

    private static Properties await(ChildProcess process, Path result) throws IOException {
        if (process.awaitExit(PATIENCE) != 0) {
            throw new IllegalStateException("it has failed:\n" + process.logTail(40));
        }
        Properties found = new Properties();
        try (Reader reader = Files.newBufferedReader(result)) {
            found.load(reader);
        }
        return found;
    }

    private static double number(Properties result, String name) {
        return Double.parseDouble(result.getProperty(name));
    }
}
