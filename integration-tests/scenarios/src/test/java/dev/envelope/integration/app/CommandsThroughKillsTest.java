package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Callers send commands over HTTP to two processes, wait for the answers and ask again until they
 * get one, while the processes are killed.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class CommandsThroughKillsTest {

    private static final String NAME = "tickets";
    private static final int KILLS = Integer.getInteger("commands.kills", 3);
    private static final int CALLERS = 16;
    private static final int KEYS = 12;
    private static final JsonMapper JSON = new JsonMapper();

    private static LocalStack stack;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final List<Integer> ports = List.of(Ports.free(), Ports.free());
    private final AtomicBoolean goesOn = new AtomicBoolean(true);
    private final AtomicLong tries = new AtomicLong();

    /** What each command was answered, by key and id. */
    private final Map<String, Map<String, Long>> answered = new ConcurrentHashMap<>();

    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    private RunningApp run(int process, int times, Database database) {
        List<String> settings = Applications.settings(stack, NAME, database);
        settings.removeIf(it -> it.startsWith("handler"));
        settings.add("handler=" + TicketFold.class.getName());
        settings.add("value.format=string");
        settings.add("dedupe.id=header:command-id");
        settings.add("gateway.listen=127.0.0.1:" + ports.get(process));
        settings.add("kafka.consumer.session.timeout.ms=1500");
        return RunningApp.start(stack.workspace(), NAME + "-" + process + "-" + times, settings);
    }

    /** A caller, who goes on until told to stop, and then finishes what it has begun. */
    private void call(int caller) {
        SplittableRandom random = new SplittableRandom(caller);
        for (int i = 0; goesOn.get(); i++) {
            String key = "key-" + random.nextInt(KEYS);
            String id = "caller-" + caller + "-" + i;
            long number = settle(key, id, random);
            answered.computeIfAbsent(key, it -> new ConcurrentHashMap<>()).put(id, number);
            if (random.nextInt(4) == 0 && settle(key, id, random) != number) {
                wrong.add(id + " was answered " + number + " at first, and otherwise later");
            }
        }
    }

    /** Sends a command until it is answered; returns the number that it got. */
    private long settle(String key, String id, SplittableRandom random) {
        while (true) {
            tries.incrementAndGet();
            try {
                HttpResponse<String> response =
                        http.send(request(key, id, random), BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    JsonNode answer = JSON.readTree(response.body());
                    return answer.path("reply").path("number").asLong(-1);
                } else if (response.statusCode() != 503 && response.statusCode() != 504) {
                    wrong.add(id + ": " + response.statusCode() + " " + response.body());
                    return -1;
                }
            } catch (IOException e) { // it was killed, or is not there yet
                Applications.pause(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            Applications.pause(random.nextInt(50));
        }
    }

    private HttpRequest request(String key, String id, SplittableRandom random) {
        int port = ports.get(random.nextInt(ports.size()));
        return HttpRequest.newBuilder(
                        URI.create(
                                "http://127.0.0.1:"
                                        + port
                                        + "/v1/entities/"
                                        + key
                                        + "/messages?wait=3s"))
                .timeout(Duration.ofSeconds(10))
                .header("Idempotency-Key", id)
                .POST(BodyPublishers.ofString(id))
                .build();
    }

    @Test
    void noCommandIsLostAndNoneIsAnsweredWronglyWhileProcessesAreKilled() throws Exception {
        stack.topics().create(NAME, 4);
        Database database = stack.postgres().createDatabase(NAME);
        List<RunningApp> apps = new ArrayList<>();
        for (int process = 0; process < ports.size(); process++) {
            apps.add(run(process, 0, database));
        }
        apps.forEach(RunningApp::awaitReady);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            int caller = i;
            callers.add(new Thread(() -> call(caller), "caller-" + i));
        }
        callers.forEach(Thread::start);

        for (int kill = 1; kill <= KILLS; kill++) {
            int process = kill % ports.size();
            awaitAnswers(apps.get(1 - process));
            Applications.pause(37L * kill % 400);
            apps.get(process).signal(Signal.KILL);
            var unused = apps.get(process).awaitExit();
            apps.set(process, run(process, kill, database));
            apps.get(process).awaitReady();
        }
        awaitAnswers(apps.get(0));
        goesOn.set(false);
        for (Thread caller : callers) {
            caller.join(Duration.ofSeconds(60).toMillis());
            assertThat(caller.isAlive()).as("%s still has no answer", caller).isFalse();
        }

        assertThat(wrong).isEmpty();
        assertThat(commandsThatCameTwice(database)).isEqualTo("0");
        for (Map.Entry<String, Map<String, Long>> key : answered.entrySet()) {
            assertThat(numbers(database, key.getKey()))
                    .as("what the row of %s says of the commands that were answered", key.getKey())
                    .isEqualTo(new TreeMap<>(key.getValue()));
        }
        apps.forEach(it -> it.signal(Signal.TERM));
        apps.forEach(it -> assertThat(it.awaitExit()).isZero());
    }

    private long answers() {
        return answered.values().stream().mapToLong(Map::size).sum();
    }

    /** Waits for some more answers than there are. */
    private void awaitAnswers(RunningApp app) {
        long before = answers();
        app.await(() -> answers() > before + 200);
    }

    private static String commandsThatCameTwice(Database database) {
        return Applications.first(
                database, "SELECT sum((state ->> 'twice')::int) FROM " + NAME + ".state");
    }

    private static Map<String, Long> numbers(Database database, String key) {
        JsonNode state =
                JSON.readTree(
                        Applications.first(
                                database,
                                "SELECT state FROM " + NAME + ".state WHERE key = '" + key + "'"));
        Map<String, Long> numbers = new TreeMap<>();
        state.path("numbers")
                .properties()
                .forEach(each -> numbers.put(each.getKey(), each.getValue().asLong()));
        return numbers;
    }
}
