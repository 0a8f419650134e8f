package dev.envelope.idempotency.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.output.FakeOutputSender.ProcessDied;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryOutputStore;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Change.Beside;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A few processes with their relays, a database and brokers, all in memory and moved by hand.
 *
 * <p>Threads: one thread.
 */
final class Relays {

    static final Uuid TOPIC = new Uuid(7, 11);
    static final OutputRoom.Limits LIMITS = new OutputRoom.Limits(100_000, 256L << 20);

    long clock;
    private long nextOffset;
    final InMemoryDatabase database = new InMemoryDatabase(() -> clock);
    final FakeTransactions kafka = new FakeTransactions();
    private final PartitionEpoch epoch = introduced();

    private PartitionEpoch introduced() {
        NewSource source = new NewSource(new TopicPartition("t", 0), TOPIC, new NextOffset(0, 0));
        new InMemoryCheckpoints(database).introduce(List.of(source));
        return Records.epoch(1, 1, database.incarnation());
    }

    void pass(Duration time) {
        clock += time.toNanos();
    }

    /** So long that a relay which says nothing is gone. */
    void passSilence() {
        pass(Duration.ofSeconds(11));
    }

    /** The values that a read_committed consumer of topic "out" has read. */
    List<String> arrived() {
        return kafka.values("out");
    }

    /** The ids of the records that can be read. */
    List<String> ids(String topic) {
        return kafka.readable(topic).stream()
                .map(it -> it.headers().lastHeader(DeadLetters.ID).value())
                .map(it -> new String(it, StandardCharsets.UTF_8))
                .toList();
    }

    /** What is put out: a topic and a value. */
    record Emitted(String topic, String value) {}

    static Emitted to(String topic, String value) {
        return new Emitted(topic, value);
    }

    /** A start of a process. */
    final class Instance {

        final InMemoryOutputStore outputs = new InMemoryOutputStore(database);
        final FakeOutputSender sender;
        final OutputRoom room;
        final OutputRelay relay;
        private final InMemoryStateStore states =
                new InMemoryStateStore(database, outputs::numberIn);
        private final Map<String, Runnable> before = new HashMap<>();
        private final Map<String, Runnable> after = new HashMap<>();
        private final List<String> calls = new ArrayList<>();

        private Instance(String name, OutputRoom room, Consumer<Instance> first) {
            this.room = room;
            sender = new FakeOutputSender(kafka, name);
            relay = new OutputRelay(store(), sender, room, "shop", () -> clock, new Random(1));
            first.accept(this);
            run(); // registers
        }

        private OutputStore store() {
            return (OutputStore)
                    Proxy.newProxyInstance(
                            OutputStore.class.getClassLoader(),
                            new Class<?>[] {OutputStore.class},
                            (proxy, method, arguments) -> {
                                calls.add(method.getName());
                                happens(before.remove(method.getName()));
                                try {
                                    Object answer = method.invoke(outputs, arguments);
                                    happens(after.remove(method.getName()));
                                    return answer;
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
        }

        private static void happens(@Nullable Runnable what) {
            if (what != null) {
                what.run();
            }
        }

        OutputStore.Own own() {
            int number = outputs.numberIn(database.incarnation());
            return outputs.look(new OutputStore.Own(number, 0, List.of(), database.incarnation()))
                    .orElseThrow();
        }

        /** Opens its next batch, without the rows of the last one, as if nobody had fenced it. */
        void opensNext(String key, String value) {
            List<Place> last = places();
            put(key, value);
            List<Place> next = new ArrayList<>(places());
            next.removeAll(last);
            assertThat(outputs.open(own(), last, new TreeSet<>(next))).isTrue();
        }

        /** The places of all its rows but the first. */
        SortedSet<Place> rest() {
            SortedSet<Place> rest = new TreeSet<>(places());
            rest.remove(rest.first());
            return rest;
        }

        List<Place> places() {
            return outputs.next(own(), List.of(), 100, 1 << 20).stream()
                    .map(OutputStore.Row::place)
                    .toList();
        }

        /** Happens once, before the store's next call of that name. */
        void before(String call, Runnable what) {
            before.put(call, what);
        }

        /** Happens once, after the store's next call of that name, instead of its answer. */
        void after(String call, Runnable what) {
            after.put(call, what);
        }

        /** The names of the calls to the store since the last time. */
        List<String> calls() {
            List<String> since = List.copyOf(calls);
            calls.clear();
            return since;
        }

        /** Saves a row with values for the topic "out", in one change. */
        void put(String key, String... values) {
            save(key, List.of(values).stream().map(it -> to("out", it)).toList());
        }

        void save(String key, List<Emitted> emitted) {
            save(List.of(change(key, emitted)));
        }

        /** Saves several rows at once, each with one value. */
        void putAll(List<String> keys, List<Emitted> emitted) {
            List<Change> changes = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                changes.add(change(keys.get(i), List.of(emitted.get(i))));
            }
            save(changes);
        }

        private void save(List<Change> changes) {
            boolean[] saved = states.save(changes, Patience.WAIT, database.incarnation());
            for (boolean each : saved) {
                assertThat(each).isTrue();
            }
        }

        private Change change(String key, List<Emitted> emitted) {
            Snapshot row = database.row(key);
            List<Output> outputs = new ArrayList<>();
            Message origin = Records.message(epoch, nextOffset++, key, "v");
            for (Emitted each : emitted) {
                outputs.add(
                        new Output(
                                origin,
                                Output.FIRST + outputs.size(),
                                each.topic(),
                                key.getBytes(StandardCharsets.UTF_8),
                                each.value().getBytes(StandardCharsets.UTF_8),
                                new RecordHeaders()));
            }
            return new Change(
                    key,
                    row == null ? Snapshot.ABSENT : row.version(),
                    null,
                    Marks.NONE,
                    null,
                    0,
                    new Beside(List.of(), List.of(), HandlerEffects.of(outputs)));
        }

        /** One pass; false also if the process dies in it. */
        boolean turn() {
            try {
                return relay.turn();
            } catch (ProcessDied e) {
                return false;
            }
        }

        /** Passes until there is nothing more to do at once. */
        void run() {
            for (int i = 0; turn(); i++) {
                assertThat(i).as("passes without end").isLessThan(10_000);
            }
        }

        /** The same for so long, a pass each 100 ms. */
        void run(Duration time) {
            for (long passed = 0; passed < time.toMillis(); passed += 100) {
                run();
                pass(Duration.ofMillis(100));
            }
            run();
        }
    }

    Instance start(String name) {
        return start(name, it -> {});
    }

    /** The same, after something else was done with it. */
    Instance start(String name, Consumer<Instance> first) {
        return new Instance(name, new OutputRoom(LIMITS, () -> {}), first);
    }

    Instance start(String name, OutputRoom.Limits limits) {
        return new Instance(name, new OutputRoom(limits, () -> {}), it -> {});
    }

    static Runnable isSilent() {
        return () -> {
            throw new UnavailableException("the reply is lost");
        };
    }

    static Runnable unknown() {
        return () -> {
            throw new OutputSender.Unknown("the reply is lost", null);
        };
    }
}
