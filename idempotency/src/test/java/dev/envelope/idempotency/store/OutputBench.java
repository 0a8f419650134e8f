package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.store.StoreFixture.Started;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** A store with processes that save outputs of one source and send them. */
final class OutputBench implements AutoCloseable {

    static final long MUCH = 1L << 20;
    static final int MANY = 1_000;

    /** After which every relay is silent. */
    static final Duration NO_TIME = Duration.ofSeconds(-1);

    static final Duration HOUR = Duration.ofHours(1);
    static final Uuid TOPIC = new Uuid(7, 11);

    final StoreFixture fixture;
    final Incarnation now;
    final int source;

    OutputBench(StoreFixture fixture) {
        this.fixture = fixture;
        NewSource log = new NewSource(new TopicPartition("orders", 0), TOPIC, new NextOffset(0, 0));
        source = fixture.checkpoints().introduce(List.of(log)).sources().get(0).number();
        now = fixture.checkpoints().incarnation();
    }

    @Override
    public void close() {
        fixture.close();
    }

    /** A start of a process with its relay. */
    final class Sender {

        final Started process;
        final OutputStore outputs;
        final Own own;

        Sender(String name) {
            process = fixture.start(name);
            outputs = process.outputs();
            own = outputs.register();
        }

        /** Saves one output of each key, with the next version of its row. */
        void emit(String... keys) {
            boolean[] saved =
                    process.states()
                            .save(
                                    Arrays.stream(keys).map(key -> change(key, key)).toList(),
                                    Patience.WAIT,
                                    now);
            for (boolean each : saved) {
                if (!each) {
                    throw new IllegalStateException("not saved");
                }
            }
        }

        /** Saves outputs of one key to these topics. */
        void emitTo(String key, String... topics) {
            List<Output> outputs =
                    Arrays.stream(topics).map(topic -> output(1, 1, topic, topic)).toList();
            process.states().save(List.of(change(key, outputs)), Patience.WAIT, now);
        }

        Own look() {
            return outputs.look(own).orElseThrow();
        }

        /** All that it would send, row by row. */
        List<Row> rows() {
            return outputs.next(look(), List.of(), MANY, MUCH);
        }

        List<String> values() {
            return OutputBench.values(rows());
        }

        SortedSet<Place> places() {
            return OutputBench.places(rows());
        }

        /** Opens a batch of all that it would send. */
        SortedSet<Place> open() {
            SortedSet<Place> all = places();
            if (!outputs.open(look(), List.of(), all)) {
                throw new IllegalStateException("not opened");
            }
            return all;
        }

        /** Takes the other over, as it is seen now. */
        boolean takeOver(Sender other, long committed) {
            return outputs.takeOver(look(), seen(other), committed, NO_TIME);
        }

        OutputStore.Gone seen(Sender other) {
            return outputs.gone(look(), NO_TIME).stream()
                    .filter(it -> it.number() == other.own.number())
                    .findFirst()
                    .orElseThrow();
        }

        List<Integer> gone(Duration silence) {
            return outputs.gone(look(), silence).stream().map(OutputStore.Gone::number).toList();
        }
    }

    Change change(String key, String value) {
        return change(key, List.of(output(1, 1, "out", value)));
    }

    /** The next change of a key. */
    Change change(String key, List<Output> outputs) {
        Snapshot row =
                fixture.states().load(List.of(key), now).getOrDefault(key, Snapshot.absent(key));
        return change(key, row.version(), outputs);
    }

    static Change change(String key, long fromVersion, List<Output> outputs) {
        return Messages.change(key, fromVersion, HandlerEffects.of(outputs));
    }

    Output output(long offset, int ordinal, String topic, String value) {
        return new Output(
                Messages.parked(source, offset, "any").message(),
                ordinal,
                topic,
                topic.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8),
                new RecordHeaders());
    }

    static List<String> values(Collection<Row> rows) {
        return rows.stream().flatMap(row -> row.items().stream()).map(OutputBench::value).toList();
    }

    static String value(Item item) {
        byte[] value = item.value();
        return value == null ? "null" : new String(value, StandardCharsets.UTF_8);
    }

    static SortedSet<Place> places(Collection<Row> rows) {
        return new TreeSet<>(rows.stream().map(Row::place).toList());
    }
}
