package dev.envelope.integration.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work without rows: everything is done at least once, and little more than once. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class WorkThroughKillsTest {

    private static final int KILLS = Integer.getInteger("work.kills", 3);
    private static final int RECORDS = 20_000;
    private static final int RECORDS_A_KILL = 8_000;
    private static final int KEYS = 100;

    /** The first record of each partition is never done by the first process. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"KEY", "NONE"})
    void whatWasDoneBehindAStuckMessageIsNotRepeated(String ordering, LocalStack stack)
            throws Exception {
        String topic = "stuck-" + ordering.toLowerCase(Locale.ROOT);
        stack.topics().create(topic, 4);
        Applications.produce(
                stack,
                IntStream.range(0, 4)
                        .mapToObj(it -> new ProducerRecord<>(topic, it, "stuck", WorkMain.STUCK))
                        .toList());
        produce(stack, topic, 0, RECORDS);
        Path file = stack.workspace().folder().resolve(topic + ".done");

        ChildProcess first = start(stack, topic, file, ordering, WorkMain.STUCK);
        await().atMost(Duration.ofSeconds(90)).until(() -> lines(file).size() == RECORDS);
        Thread.sleep(2_500); // the commits of the last second: nothing else tells of them
        first.kill();
        ChildProcess second = start(stack, topic, file, ordering, "free");
        await().atMost(Duration.ofSeconds(90)).until(() -> lines(file).size() >= RECORDS + 4);
        Thread.sleep(2_500); // what it would repeat comes now
        second.kill();

        List<String> done = lines(file);
        assertThat(new HashSet<>(done)).hasSize(RECORDS + 4);
        assertThat(done.size() - RECORDS - 4).as("repeated").isZero();
    }

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES) // with many kills
    void killsInTheMiddleLoseNothingAndKeepTheOrderOfAKey(LocalStack stack) throws Exception {
        stack.topics().create("killed", 4);
        Path file = stack.workspace().folder().resolve("killed.done");

        SplittableRandom random = new SplittableRandom();
        for (int kill = 0; kill < KILLS; kill++) {
            produce(stack, "killed", kill * RECORDS_A_KILL, RECORDS_A_KILL);
            long before = size(file);
            ChildProcess process = start(stack, "killed", file, "KEY", "free");
            await().atMost(Duration.ofSeconds(90)).until(() -> size(file) > before);
            if (kill % 2 != 0) {
                Thread.sleep(random.nextInt(2_000)); // the others come before the first commit
            }
            process.kill();
        }
        int records = KILLS * RECORDS_A_KILL;
        ChildProcess last = start(stack, "killed", file, "KEY", "free");
        await().atMost(Duration.ofSeconds(90))
                .until(() -> new HashSet<>(lines(file)).size() == records);
        last.kill();

        List<String> done = lines(file);
        System.out.printf(
                "work: %d kills, %,d records, %,d done again%n",
                KILLS, records, done.size() - records);
        assertThat(done).as("killed in the middle").hasSizeGreaterThan(records);
        assertThat(firstTimesAreInOrder(done)).isTrue();
    }

    private static ChildProcess start(
            LocalStack stack, String topic, Path file, String ordering, String stuck) {
        return stack.workspace()
                .start(
                        "work-" + topic + "-" + stuck + "-" + System.nanoTime(),
                        JavaCommand.of(WorkMain.class)
                                .arguments(
                                        stack.bootstrapServers(),
                                        topic,
                                        file.toString(),
                                        ordering,
                                        stuck));
    }

    private static long size(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    /** Of each key's messages, the first time that each was done. */
    private static boolean firstTimesAreInOrder(List<String> lines) {
        Map<String, Integer> lastOfKey = new HashMap<>();
        Set<String> seen = new HashSet<>();
        for (String line : lines) {
            if (seen.add(line)) {
                String value = line.substring(line.lastIndexOf(' ') + 1);
                int slash = value.indexOf('/');
                int number = Integer.parseInt(value.substring(slash + 1));
                Integer before = lastOfKey.put(value.substring(0, slash), number);
                if (before != null && before > number) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void produce(LocalStack stack, String topic, int first, int records) {
        Applications.produce(
                stack,
                IntStream.range(first, first + records)
                        .mapToObj(i -> new ProducerRecord<>(topic, "key-" + i % KEYS, value(i)))
                        .toList());
    }

    private static String value(int number) {
        return "key-" + number % KEYS + "/" + number;
    }
}
