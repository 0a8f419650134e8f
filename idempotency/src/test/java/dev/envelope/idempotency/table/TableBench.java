package dev.envelope.idempotency.table;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.InMemoryTable;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.table.TableRow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Processes that read the same table by hand. The state is the text of all values applied. */
final class TableBench {

    final InMemoryDatabase database = new InMemoryDatabase();
    final InMemoryTable table = database.table();

    /** A process with its client and its handler. */
    final class Reader {

        private static long epochs;

        final ManualEnvironment environment = new ManualEnvironment();
        final TableSource source;
        final Consumer<byte @Nullable [], byte @Nullable []> client;
        final PartitionEpoch epoch;
        private final IdempotentHandler<String> handler;
        private final TopicPartition partition;
        private long sequence;

        Reader(int slot, int slots) {
            source = new TableSource(table, slots, () -> slots, environment.environment());
            client = source.client();
            partition = new TopicPartition(table.settings().source(), slot);
            epoch = new PartitionEpoch(++epochs, partition, slot + 1, database.incarnation());
            handler =
                    new IdempotentHandler<>(
                            new EnvelopeFold<>(
                                    (before, value, message) ->
                                            (before == null ? "" : before) + value,
                                    new TextCodec(),
                                    (value, message) -> text(value),
                                    TableBench::eventId,
                                    IdLimits.ofCount(3),
                                    1_000),
                            new InMemoryStateStore(database),
                            1 << 20,
                            Telemetry.NONE);
            client.assign(Set.of(partition));
            client.seek(partition, 0);
        }

        TopicPartition partition() {
            return partition;
        }

        /** Reads all that there is, and takes it. */
        List<Message> poll() {
            environment.advance(Duration.ofSeconds(1));
            while (source.turn()) {
                // a page
            }
            List<Message> messages = new ArrayList<>();
            for (ConsumerRecord<byte @Nullable [], byte @Nullable []> record :
                    client.poll(Duration.ZERO)) {
                messages.add(Message.of(epoch, sequence++, text(record.key()), record));
            }
            return messages;
        }

        @Nullable Outcome handle(List<Message> messages) {
            return handle(messages, null);
        }

        @Nullable Outcome handle(List<Message> messages, @Nullable GivenUp givenUp) {
            HandTurn turn =
                    new HandTurn(
                            new Envelope(messages.get(0).key(), messages, null, null, givenUp));
            handler.handle(turn);
            return turn.outcome(0);
        }
    }

    void insert(String key, long id, String value) {
        table.insert(
                new TableRow(
                        key,
                        Long.toString(id),
                        value.getBytes(StandardCharsets.UTF_8),
                        1_000 + id));
    }

    String state(String key) {
        @Nullable Snapshot row = database.row(key);
        return row == null ? "" : text(row.state()).replace("\"", "");
    }

    Map<String, TableRow> left() {
        return table.rows();
    }

    /** Only some events have an id: those that begin with a number sign, and it is all of them. */
    private static @Nullable IdHash eventId(Message message) {
        byte @Nullable [] value = message.value();
        return value != null && value.length > 0 && value[0] == '#' ? IdHash.of(value) : null;
    }

    static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static final class TextCodec implements StateCodec<String> {

        @Override
        public byte[] encode(String state) {
            return ('"' + state + '"').getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(byte[] json) {
            return text(json).replace("\"", "");
        }
    }
}
