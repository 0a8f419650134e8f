package dev.envelope.integration.places;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.soak.DatabaseCopy;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Workspace;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.NetworkFault;
import dev.envelope.integration.stack.proxy.PostgresWire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** Processes whose rows are divided between three database servers. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class PlacesTest {

    private static final int SLOTS = 6;
    private static final int KEYS = 300;
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration AWAY = Duration.ofSeconds(Integer.getInteger("places.away", 5));

    private final LocalStack stack;
    private static final List<Workspace> workspaces = new ArrayList<>();
    private static final List<LocalPostgres> servers = new ArrayList<>();
    private static final List<FaultProxy> networks = new ArrayList<>(); // before each of them

    private final List<RunningApp> apps = new ArrayList<>();
    private final List<Database> databases = new ArrayList<>(); // two slots each
    private final List<String> settings = new ArrayList<>();
    private int produced; // of each key

    PlacesTest(LocalStack stack) {
        this.stack = stack;
    }

    @BeforeAll
    static void servers() {
        for (int i = 0; i < 3; i++) {
            Workspace workspace = Workspace.open();
            workspaces.add(workspace);
            LocalPostgres server = new LocalPostgres(workspace, Map.of());
            server.start();
            servers.add(server);
            networks.add(FaultProxy.start("place-" + i, server.port(), new PostgresWire()));
        }
    }

    @AfterEach
    void end() {
        apps.forEach(app -> app.process().kill());
        for (LocalPostgres server : servers) {
            server.resume();
            if (!server.process().isAlive()) { // a test has failed while it was down
                server.start();
            }
        }
    }

    @AfterAll
    static void stop() {
        networks.forEach(FaultProxy::close);
        workspaces.forEach(Workspace::close); // with its server
    }

    private void application(String name, int partitions) {
        stack.topics().create(name, partitions);
        servers.forEach(server -> databases.add(server.createDatabase(name)));
        settings.addAll(Applications.settings(stack.bootstrapServers(), name, found(0)));
        settings.addAll(
                List.of(
                        "store.slots=" + SLOTS,
                        "store.place.b=" + found(1).url(),
                        "store.slots.b=2-3",
                        "store.place.c=" + found(2).url(),
                        "store.slots.c=4,5",
                        "pool.size=4",
                        "store.statement.timeout=2s",
                        "store.socket.timeout=3s"));
    }

    /** As processes find it. */
    private Database found(int place) {
        return databases.get(place).at(networks.get(place).port());
    }

    private RunningApp start(String name) {
        List<String> its = new ArrayList<>(settings);
        its.add("instance.name=" + name + "-" + apps.size());
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + apps.size(), its);
        apps.add(app);
        return app;
    }

    private void produce(String topic) {
        Applications.produce(stack, topic, KEYS, KEYS, "{\"amount\":1}");
        produced++;
    }

    private static int slotOf(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % SLOTS;
    }

    private long keysAt(int place) {
        return IntStream.range(0, KEYS).filter(it -> slotOf("key-" + it) / 2 == place).count();
    }

    private long counted(String name, int place) {
        return Applications.counted(databases.get(place), name + "_0" + 2 * place)
                + Applications.counted(databases.get(place), name + "_0" + (2 * place + 1));
    }

    private void awaitAll(String name, int place) {
        long wanted = keysAt(place) * produced;
        Awaitility.await().atMost(SOON).until(() -> counted(name, place) >= wanted);
        assertThat(counted(name, place)).isEqualTo(wanted);
    }

    private void awaitAll(String name) {
        IntStream.range(0, 3).forEach(place -> awaitAll(name, place));
    }

    @Tag("long")
    @Test
    void eachKeyIsInItsSlotAndAKilledProcessChangesNothing() {
        application("places", 4); // no multiple: a partition feeds several slots
        start("places").awaitReady();
        RunningApp second = start("places");
        second.awaitReady();
        for (int round = 0; round < 10; round++) {
            produce("places");
        }
        second.signal(Signal.KILL);
        for (int round = 0; round < 10; round++) {
            produce("places");
        }
        awaitAll("places");
        for (int slot = 0; slot < SLOTS; slot++) {
            String rows =
                    Applications.first(
                            databases.get(slot / 2),
                            "SELECT string_agg(key, ' ') FROM places_0" + slot + ".state");
            for (String key : rows.split(" ", -1)) {
                assertThat(slotOf(key)).as(key).isEqualTo(slot);
            }
        }
    }

    @Tag("long")
    @Test
    void aPlaceThatIsKilledHoldsUpNobodyElse() {
        application("killed", 6); // a multiple: each partition has the keys of one slot
        start("killed").awaitReady();
        produce("killed");
        awaitAll("killed");

        servers.get(1).process().kill();
        for (int round = 0; round < 20; round++) {
            produce("killed");
        }
        awaitAll("killed", 0);
        awaitAll("killed", 2);
        servers.get(1).start();
        awaitAll("killed");

        servers.get(0).process().kill(); // the home of all sources
        produce("killed");
        awaitAll("killed", 1);
        awaitAll("killed", 2);
        servers.get(0).start();
        awaitAll("killed");
        assertThat(apps.get(0).process().isAlive()).isTrue();
    }

    @Tag("long")
    @Test
    void aProcessThatStartsWhileAPlaceIsAwayGoesOnWithoutItAndWithItWhenItIsBack() {
        application("begun", 6);
        RunningApp first = start("begun");
        first.awaitReady();
        produce("begun");
        awaitAll("begun");
        first.signal(Signal.TERM);
        assertThat(first.awaitExit()).isZero();

        servers.get(1).process().kill();
        produce("begun");
        RunningApp second = start("begun");
        awaitAll("begun", 0);
        awaitAll("begun", 2);
        assertThat(second.get("/status").body()).contains("not there when this process started");

        servers.get(1).start();
        awaitAll("begun");
        assertThat(second.log()).contains("is there again: what was fetched is saved");
        produce("begun");
        awaitAll("begun");
        assertThat(second.process().isAlive()).isTrue();
    }

    private enum Silence {
        FROZEN,
        BLACK_HOLE
    }

    /** Seconds, of which others' rounds take less than ten each: {@code -Dplaces.away=60}. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void aPlaceThatIsSilentHoldsUpNobodyElse(Silence silence) {
        String name = silence.name().toLowerCase(Locale.ROOT);
        application(name, 6);
        start(name).awaitReady();
        produce(name);
        awaitAll(name);

        begin(silence);
        try {
            long until = System.nanoTime() + AWAY.toNanos();
            long slowest = 0;
            while (System.nanoTime() < until) {
                produce(name);
                long begun = System.nanoTime();
                awaitAll(name, 0);
                awaitAll(name, 2);
                slowest = Math.max(slowest, System.nanoTime() - begun);
            }
            System.out.printf(
                    "places: one of three is silent (%s), a round of the others took %d ms at most%n",
                    name, TimeUnit.NANOSECONDS.toMillis(slowest));
            assertThat(slowest).isLessThan(TimeUnit.SECONDS.toNanos(10));
            assertThat(apps.get(0).get("/status").body()).contains("\"name\":\"b\"");
            Awaitility.await()
                    .atMost(SOON)
                    .until(
                            () ->
                                    apps.get(0)
                                            .get("/api/stuck")
                                            .body()
                                            .contains("place b has not answered"));
        } finally {
            servers.get(1).resume();
            networks.get(1).heal();
        }
        awaitAll(name);
    }

    private void begin(Silence silence) {
        if (silence == Silence.FROZEN) {
            servers.get(1).pause();
        } else {
            networks.get(1).inject(new NetworkFault.BlackHole());
        }
    }

    @Tag("long")
    @Test
    void aPlaceThatWentBackToAnOlderCopyGetsAgainWhatItLostAndOthersDoNotChange() {
        application("restored", 6);
        start("restored").awaitReady();
        start("restored").awaitReady();
        for (int round = 0; round < 5; round++) {
            produce("restored");
        }
        awaitAll("restored");
        DatabaseCopy copy = DatabaseCopy.of(servers.get(1));
        for (int round = 0; round < 5; round++) {
            produce("restored");
        }
        awaitAll("restored");
        Awaitility.await().atMost(SOON).until(() -> lag() == 0);
        List<String> versions = versionsBeside("restored", 1);

        copy.restore();
        assertThat(counted("restored", 1)).isLessThan(keysAt(1) * produced);
        awaitAll("restored");
        assertThat(versionsBeside("restored", 1)).isEqualTo(versions);
        produce("restored");
        awaitAll("restored");
    }

    @Tag("long")
    @Test
    void outputsOfAllSlotsArriveOnceThroughTheDeathOfAProcessAndOfAPlace() {
        application("emitting", 6);
        stack.topics().create("emitting-out", 3);
        settings.add("emit.topic=emitting-out");
        start("emitting").awaitReady();
        RunningApp second = start("emitting");
        second.awaitReady();
        for (int round = 0; round < 5; round++) {
            produce("emitting");
        }
        awaitAll("emitting");
        second.signal(Signal.KILL);
        servers.get(2).process().kill();
        for (int round = 0; round < 5; round++) {
            produce("emitting");
        }
        servers.get(2).start();
        awaitAll("emitting");
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(
                        () -> {
                            List<ConsumerRecord<String, String>> sent =
                                    Applications.committed(stack, "emitting-out", 3);
                            Map<String, String> last = new HashMap<>();
                            sent.forEach(it -> last.put(it.key(), it.value()));
                            assertThat(last).hasSize(KEYS);
                            assertThat(last.values())
                                    .allMatch(it -> it.contains("\"n\":" + produced));
                            assertThat(sent)
                                    .extracting(it -> Applications.header(it, "envelope.id"))
                                    .doesNotHaveDuplicates();
                        });
    }

    private long lag() {
        return apps.stream()
                .mapToLong(
                        app ->
                                JsonMapper.builder()
                                        .build()
                                        .readTree(app.get("/status").body())
                                        .at("/lag")
                                        .asLong())
                .sum();
    }

    /** The versions of all rows that are not at this place. */
    private List<String> versionsBeside(String name, int place) {
        return IntStream.range(0, SLOTS)
                .filter(slot -> slot / 2 != place)
                .mapToObj(
                        slot ->
                                Applications.first(
                                        databases.get(slot / 2),
                                        "SELECT string_agg(key || ' ' || version, ',' ORDER BY key)"
                                                + " FROM %s_0%d.state".formatted(name, slot)))
                .toList();
    }

    @Tag("long")
    @Test
    void aStartThatDividesRowsOtherwiseIsRefused() {
        application("otherwise", 6);
        start("otherwise").awaitReady();
        produce("otherwise");
        awaitAll("otherwise");
        apps.get(0).signal(Signal.TERM);
        assertThat(apps.get(0).awaitExit()).isZero();

        assertThat(refusal("store.slots=12")).contains("store.slots is 12, but the rows");
        settings.removeIf(it -> it.startsWith("store.place") || it.startsWith("store.slots"));
        assertThat(refusal("store.slots=1")).contains("they would not be found");
    }

    private String refusal(String last) {
        settings.removeIf(it -> it.startsWith("store.slots="));
        settings.add(last);
        RunningApp app = start("otherwise");
        assertThat(app.awaitExit()).isEqualTo(78);
        settings.remove(last);
        return app.log();
    }

    /** A list of keys and their records, for partitions that the partitioner would not choose. */
    private void produceTo(String topic, int partition) {
        Applications.produce(
                stack,
                IntStream.range(0, KEYS)
                        .mapToObj(
                                it ->
                                        new ProducerRecord<>(
                                                topic, partition, "key-" + it, "{\"amount\":1}"))
                        .toList());
        produced++;
    }

    @Tag("long")
    @Test
    void aPartitionThatFeedsAllSlotsWaitsForThePlaceThatIsAwayAndLosesNothing() {
        application("mixed", 1);
        RunningApp first = start("mixed");
        first.awaitReady();
        produceTo("mixed", 0);
        awaitAll("mixed");

        servers.get(2).process().kill();
        produceTo("mixed", 0);
        awaitAll("mixed", 0);
        awaitAll("mixed", 1);
        first.signal(Signal.KILL);
        servers.get(2).start();
        start("mixed").awaitReady();
        produceTo("mixed", 0);
        awaitAll("mixed");
    }
}
