package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two processes, each of which reads rows in the other's memory, while the rows change. What that
 * is worth is printed; {@code -Dreads.seconds=10 -Dreads.rounds=3} measures it.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class OwnersTest {

    private static final int ROUNDS = Integer.getInteger("reads.rounds", 1);
    private static final int SECONDS = Integer.getInteger("reads.seconds", 2);
    private static final int READERS = Integer.getInteger("reads.connections", 16);
    private static final int KEYS = 200;
    private static final Pattern ADDRESS = Pattern.compile("\"address\":\"127.0.0.1:(\\d+)\"");

    private static LocalStack stack;

    private final AtomicBoolean goesOn = new AtomicBoolean(true);
    private final List<Integer> ports = new ArrayList<>();
    private final List<RunningApp> apps = new ArrayList<>();
    private final Thread writer = new Thread(this::write);
    private final String name = "owners" + System.identityHashCode(this);

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    @AfterEach
    void end() throws InterruptedException {
        goesOn.set(false);
        writer.join();
        apps.forEach(app -> app.process().kill());
    }

    private void startBoth() {
        stack.topics().create(name, 6);
        Database database = stack.postgres().createDatabase(name);
        for (int i = 0; i < 2; i++) {
            ports.add(Ports.free());
            List<String> settings = Applications.settings(stack, name, database);
            settings.add("instance.name=" + name + "-" + i);
            settings.add("dedupe.id=header:command-id");
            settings.add("gateway.listen=127.0.0.1:" + ports.get(i));
            settings.add("gateway.read=owner");
            settings.add("kafka.consumer.session.timeout.ms=1500");
            apps.add(RunningApp.start(stack.workspace(), name + "-" + i, settings));
        }
        apps.forEach(RunningApp::awaitReady);
        writer.start();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> homes().values().stream().distinct().count() == 2);
        String rows = "SELECT count(*) FROM " + name + ".state";
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Applications.first(database, rows).equals(String.valueOf(KEYS)));
    }

    /** Each key changes about once a second. */
    private void write() {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", stack.broker().bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; goesOn.get(); i++) {
                producer.send(new ProducerRecord<>(name, key(i), "{\"amount\":1}"));
                Applications.pause(5);
            }
        }
    }

    private static String key(int i) {
        return "key-" + i % KEYS;
    }

    /** The port of each key's owner, as the first process knows it. */
    private Map<String, Integer> homes() throws IOException {
        Map<String, Integer> homes = new HashMap<>();
        try (PlainConnection connection = new PlainConnection(ports.get(0))) {
            for (int i = 0; i < KEYS; i++) {
                String body = connection.get("/v1/owner/" + key(i)).body();
                Matcher address = ADDRESS.matcher(body);
                if (!address.find()) {
                    throw new IOException("nobody owns " + key(i) + ": " + body);
                }
                homes.put(key(i), Integer.valueOf(address.group(1)));
            }
        }
        return homes;
    }

    /** What one way of reading gave. */
    private final class Reading {

        private final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<long[]> nanos = new ConcurrentLinkedQueue<>();
        private final long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        private final long appsBefore = cpuMillis(apps.stream().map(it -> it.process().pid()));
        private final long databaseBefore = databaseMillis();

        void read(String from, Map<String, Integer> homes) throws InterruptedException {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                int first = i * 7;
                threads.add(new Thread(() -> read(from, homes, first)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        private void read(String from, Map<String, Integer> homes, int first) {
            List<Long> took = new ArrayList<>();
            try (PlainConnection one = new PlainConnection(ports.get(0));
                    PlainConnection other = new PlainConnection(ports.get(1))) {
                for (int i = first; System.nanoTime() < until; i++) {
                    int home = homes.getOrDefault(key(i), ports.get(i % 2));
                    PlainConnection connection = home == ports.get(0) ? one : other;
                    long begun = System.nanoTime();
                    PlainConnection.Answer answer =
                            connection.get("/v1/entities/" + key(i) + "?from=" + from);
                    took.add(System.nanoTime() - begun);
                    if (answer.status() != 200) {
                        failed.add(answer.toString());
                    }
                }
            } catch (IOException e) {
                failed.add(e.toString());
            }
            nanos.add(took.stream().mapToLong(it -> it).toArray());
        }

        void print(String name) {
            long[] all = nanos.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            long appsCpu = cpuMillis(apps.stream().map(it -> it.process().pid())) - appsBefore;
            System.out.printf(
                    Locale.ROOT,
                    "%-50s %6d reads/s, p50 %.2f ms, p99 %.2f ms; CPU of a read: both processes"
                            + " %.0f µs, database %.0f µs%n",
                    name,
                    all.length / SECONDS,
                    all[all.length / 2] / 1e6,
                    all[all.length * 99 / 100] / 1e6,
                    1e3 * appsCpu / all.length,
                    1e3 * (databaseMillis() - databaseBefore) / all.length);
        }
    }

    private static long databaseMillis() {
        ProcessHandle postgres = ProcessHandle.of(stack.postgres().process().pid()).orElseThrow();
        return cpuMillis(
                Stream.concat(Stream.of(postgres), postgres.descendants()).map(ProcessHandle::pid));
    }

    private static long cpuMillis(Stream<Long> pids) {
        return pids.flatMap(pid -> ProcessHandle.of(pid).stream())
                .flatMap(it -> it.info().totalCpuDuration().stream())
                .mapToLong(Duration::toMillis)
                .sum();
    }

    private void read(String from, String name, Map<String, Integer> homes)
            throws InterruptedException {
        Reading reading = new Reading();
        reading.read(from, homes);
        assertThat(reading.failed).isEmpty();
        reading.print(name);
    }

    private double counted(int app, String result) {
        String line = "envelope_gateway_reads_total{result=\"" + result + "\"}";
        return apps.get(app)
                .get("/metrics")
                .body()
                .lines()
                .filter(it -> it.startsWith(line))
                .mapToDouble(it -> Double.parseDouble(it.substring(line.length())))
                .findFirst()
                .orElse(0);
    }

    @Tag("long")
    @Test
    void rowsAreReadInTheMemoryOfTheirOwner() throws Exception {
        startBoth();
        Map<String, Integer> homes = homes();
        for (int round = 0; round < ROUNDS; round++) {
            read("database", round + ": database", Map.of());
            read("owner", round + ": owner, by any process", Map.of());
            read("owner", round + ": owner, asked by callers themselves", homes);
        }
        assertThat(counted(0, "memory")).isPositive();
        assertThat(counted(1, "memory")).isPositive();

        goesOn.set(false);
        writer.join();
        try (PlainConnection connection = new PlainConnection(ports.get(0))) {
            for (int i = 0; i < KEYS; i++) {
                String key = key(i);
                Awaitility.await()
                        .atMost(Duration.ofSeconds(20))
                        .untilAsserted(
                                () ->
                                        assertThat(state(connection, key, "owner"))
                                                .isEqualTo(state(connection, key, "database")));
            }
        }
        for (RunningApp app : apps) {
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
        }
    }

    private static String state(PlainConnection connection, String key, String from)
            throws IOException {
        String body = connection.get("/v1/entities/" + key + "?from=" + from).body();
        return body.substring(0, body.indexOf("\"marks\""));
    }

    @Tag("long")
    @Test
    void whileAnOwnerIsGoneItsRowsAreReadInTheDatabase() throws Exception {
        startBoth();
        List<String> failed = new ArrayList<>();
        long longest = 0;
        try (PlainConnection connection = new PlainConnection(ports.get(0))) {
            apps.get(1).process().kill();
            long until = System.nanoTime() + Duration.ofSeconds(90).toNanos();
            boolean areAllOurs = false;
            for (int i = 0; !areAllOurs && System.nanoTime() < until; i++) {
                long begun = System.nanoTime();
                PlainConnection.Answer answer = connection.get("/v1/entities/" + key(i));
                longest = Math.max(longest, System.nanoTime() - begun);
                if (answer.status() != 200) {
                    failed.add(answer.toString());
                }
                if (i % 1_000 == 999) {
                    areAllOurs = areOurs();
                }
            }
            assertThat(areAllOurs).as("the other process takes all partitions over").isTrue();
        }
        assertThat(failed).isEmpty();
        assertThat(Duration.ofNanos(longest)).isLessThan(Duration.ofSeconds(20));
    }

    private boolean areOurs() throws IOException {
        try {
            return homes().values().stream().allMatch(ports.get(0)::equals);
        } catch (IOException e) { // nobody has told yet
            return false;
        }
    }
}
