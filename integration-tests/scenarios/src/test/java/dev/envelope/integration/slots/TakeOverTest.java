package dev.envelope.integration.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.NetworkFault;
import dev.envelope.integration.stack.proxy.PostgresWire;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * How long a spare process needs to take over, seen from the database while records come all the
 * time: until the lock is free, until the spare has it, until its first row. It prints what it saw;
 * {@code -Dslots.rounds=10} for more kills.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class TakeOverTest {

    private static final int ROUNDS = Integer.getInteger("slots.rounds", 2);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int KEYS = 20;

    private final LocalStack stack;
    private final List<RunningApp> apps = new ArrayList<>();
    private final AtomicBoolean isEnough = new AtomicBoolean();
    private final AtomicInteger produced = new AtomicInteger();
    private int started;

    TakeOverTest(LocalStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void end() {
        isEnough.set(true);
        apps.forEach(app -> app.process().kill());
    }

    /** What the database shows at a moment. */
    private record Sample(String holder, long counted) {}

    private static Sample sample(Connection connection, String schema) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT coalesce((SELECT string_agg(a.application_name, ',')"
                                + " FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)"
                                + " JOIN pg_namespace AS n ON n.oid = l.classid"
                                + " WHERE l.locktype = 'advisory' AND l.objid = 0"
                                + " AND n.nspname = ?), ''),"
                                + " (SELECT sum((state->>'n')::bigint) FROM "
                                + schema
                                + ".state)")) {
            query.setString(1, schema);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Sample(row.getString(1), row.getLong(2));
            }
        }
    }

    private RunningApp start(String name, Database database) {
        List<String> settings = Applications.settings(stack.bootstrapServers(), name, database);
        settings.add("instance.name=" + name + "-" + ++started);
        settings.add("assignment=slots");
        settings.add("slots=1");
        settings.add("slots.timeout=2s");
        RunningApp app = RunningApp.start(stack.workspace(), name + "-" + started, settings);
        apps.add(app);
        app.awaitReady();
        return app;
    }

    private Thread load(String topic) {
        Thread load =
                new Thread(
                        () -> {
                            try (KafkaProducer<String, String> producer =
                                    new KafkaProducer<>(
                                            Map.of("bootstrap.servers", stack.bootstrapServers()),
                                            new StringSerializer(),
                                            new StringSerializer())) {
                                while (!isEnough.get()) {
                                    int number = produced.getAndIncrement();
                                    producer.send(
                                            new ProducerRecord<>(
                                                    topic,
                                                    "key-" + number % KEYS,
                                                    "{\"amount\":1}"));
                                    Thread.sleep(4); // some hundred records a second
                                }
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        load.start();
        return load;
    }

    /** Does it to the holder, and prints when the lock was free, taken, and a row was saved. */
    private long measure(String what, String schema, Database database, Runnable trouble)
            throws SQLException {
        try (Connection connection = database.connect()) {
            String former = sample(connection, schema).holder();
            assertThat(former).startsWith(schema);
            long begun = System.nanoTime();
            trouble.run();
            long free = 0;
            long taken = 0;
            long counted = 0;
            while (System.nanoTime() - begun < PATIENCE.toNanos()) {
                Sample seen = sample(connection, schema);
                long now = System.nanoTime();
                if (free == 0 && !seen.holder().equals(former)) {
                    free = now;
                }
                if (taken == 0 && free != 0 && !seen.holder().isEmpty()) {
                    taken = now;
                    counted = seen.counted();
                }
                if (taken != 0 && seen.counted() > counted) {
                    System.out.printf(
                            "slots: %s: lock free after %d ms, taken %d ms later, first row %d ms after it was free%n",
                            what, millis(begun, free), millis(free, taken), millis(free, now));
                    return millis(free, now);
                }
            }
            throw new AssertionError(what + ": nobody has taken over");
        }
    }

    private static long millis(long from, long to) {
        return TimeUnit.NANOSECONDS.toMillis(to - from);
    }

    /** The one that has the slot; it is no longer one of the others. */
    private RunningApp holder() {
        RunningApp holder =
                apps.stream()
                        .filter(it -> it.get("/status").body().contains("\"ours\":true"))
                        .findFirst()
                        .orElseThrow();
        apps.remove(holder);
        return holder;
    }

    private void awaitAll(String name, Database database, Thread load) throws Exception {
        isEnough.set(true);
        load.join();
        apps.get(0).await(() -> Applications.counted(database, name) >= produced.get());
        assertThat(Applications.counted(database, name)).isEqualTo(produced.get());
    }

    @Test
    void aSpareProcessTakesOverFromWhoIsKilledOrFrozen() throws Exception {
        String name = "takeover";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase(name);
        start(name, database);
        Thread load = load(name);
        apps.get(0).await(() -> Applications.counted(database, name) > 100);
        for (int round = 0; round < ROUNDS; round++) {
            start(name, database);
            RunningApp killed = holder();
            measure("killed", name, database, () -> killed.signal(Signal.KILL));
        }
        start(name, database);
        RunningApp frozen = holder();
        measure("frozen", name, database, () -> frozen.signal(Signal.STOP));
        frozen.process().kill();
        awaitAll(name, database, load);
    }

    @Test
    void aSpareProcessTakesOverFromAHostThatIsGone() throws Exception {
        String name = "gone";
        stack.topics().create(name, 4);
        Database database = stack.postgres().createDatabase(name);
        try (FaultProxy host =
                FaultProxy.start("host", stack.postgres().port(), new PostgresWire())) {
            start(name, database.at(host.port()));
            Thread load = load(name);
            apps.get(0).await(() -> Applications.counted(database, name) > 100);
            start(name, database);
            RunningApp gone = holder();
            measure("host gone", name, database, () -> host.inject(new NetworkFault.BlackHole()));
            gone.process().kill();
            awaitAll(name, database, load);
        }
    }
}
