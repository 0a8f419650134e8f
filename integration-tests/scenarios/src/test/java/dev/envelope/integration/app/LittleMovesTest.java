package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * When a process joins or leaves, only those partitions move that have to. Whoever keeps a
 * partition keeps its epoch, and with it what it has in memory.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class LittleMovesTest {

    private static final int PARTITIONS = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();

    LittleMovesTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
    }

    /** A partition's process, and its epoch there. */
    private record Home(int app, long epoch) {}

    private void start(String protocol, String name, Database database) {
        List<String> settings = Applications.settings(stack, name, database);
        settings.add("instance.name=" + name + "-" + apps.size());
        settings.add("kafka.consumer.group.protocol=" + protocol);
        apps.add(RunningApp.start(stack.workspace(), name + "-" + apps.size(), settings));
    }

    /** Who has which partition. */
    private Map<Integer, Home> homes(List<Integer> running) {
        Map<Integer, Home> homes = new HashMap<>();
        for (int app : running) {
            JsonMapper.builder()
                    .build()
                    .readTree(apps.get(app).get("/api/status").body())
                    .path("partitions")
                    .forEach(
                            it ->
                                    homes.put(
                                            it.path("partition").asInt(),
                                            new Home(app, it.path("epoch").asLong())));
        }
        return homes;
    }

    /** Waits until each of these has as many as the others, and nothing has moved for a while. */
    private Map<Integer, Home> settled(Integer... running) {
        List<Map<Integer, Home>> seen = new ArrayList<>(List.of(Map.of()));
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .ignoreExceptions()
                .until(
                        () -> {
                            Map<Integer, Home> now = homes(List.of(running));
                            Map<Integer, Home> before = seen.set(0, now);
                            return now.equals(before) && areEven(now, running.length);
                        });
        return seen.get(0);
    }

    private static boolean areEven(Map<Integer, Home> homes, int processes) {
        Map<Integer, Integer> count = new HashMap<>();
        homes.values().forEach(it -> count.merge(it.app, 1, Integer::sum));
        return homes.size() == PARTITIONS
                && homes.values().stream().allMatch(it -> it.epoch > 0)
                && count.size() == processes
                && count.values().stream().allMatch(it -> it == PARTITIONS / processes);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void whoKeepsAPartitionKeepsWhatItKnowsOfIt(String protocol) {
        String name = "moves_" + protocol;
        stack.topics().create(name, PARTITIONS);
        Database database = stack.postgres().createDatabase(name);
        start(protocol, name, database);
        start(protocol, name, database);
        Map<Integer, Home> two = settled(0, 1);

        start(protocol, name, database);
        Map<Integer, Home> three = settled(0, 1, 2);

        three.forEach(
                (partition, home) -> {
                    if (home.app != 2) {
                        assertThat(home)
                                .as("partition %d, which has not moved to the third", partition)
                                .isEqualTo(two.get(partition));
                    }
                });

        apps.get(2).signal(Signal.TERM);
        assertThat(apps.get(2).awaitExit()).isZero();
        Map<Integer, Home> afterwards = settled(0, 1);

        three.forEach(
                (partition, home) -> {
                    if (home.app != 2) {
                        assertThat(afterwards.get(partition))
                                .as("partition %d, which was not the third's", partition)
                                .isEqualTo(home);
                    }
                });
    }
}
