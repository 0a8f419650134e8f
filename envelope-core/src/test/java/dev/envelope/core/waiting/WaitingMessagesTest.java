package dev.envelope.core.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WaitingMessagesTest {

    private static final List<PartitionEpoch> EPOCHS = List.of(Records.epoch(1), Records.epoch(2));
    private static final List<String> TEXTS =
            List.of("", "k", "Ärger", "\u20ac", "\ud83d\ude00", "half \ud83d", "x".repeat(800));
    private static final List<TimestampType> TYPES = List.of(TimestampType.values());
    private static final int MANY = 300_000;

    private final WaitingMessages waiting = new WaitingMessages(new Slabs());

    private static Message message(SplittableRandom random, long offset) {
        PartitionEpoch epoch = EPOCHS.get(random.nextInt(2));
        byte[] key = bytes(random, 20);
        Headers headers = new RecordHeaders();
        for (int i = random.nextInt(8) - 5; i > 0; i--) {
            headers.add(text(random), bytes(random, 100));
        }
        byte[] value = bytes(random, random.nextInt(50) == 0 ? 3 * Slab.BYTES : 300);
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                new ConsumerRecord<>(
                        epoch.partition().topic(),
                        epoch.partition().partition(),
                        offset,
                        random.nextLong(),
                        TYPES.get(random.nextInt(3)),
                        random.nextInt(100),
                        random.nextInt(100),
                        key,
                        value,
                        headers,
                        random.nextBoolean() ? Optional.empty() : Optional.of(random.nextInt(9)));
        return switch (random.nextInt(9)) {
            case 0 -> Message.withoutRow(epoch, offset + 7, "no such row", record);
            case 1, 2, 3 ->
                    Message.of(epoch, offset + 7, new RowKey(text(random), key, true), record);
            case 4, 5 -> Message.of(epoch, offset + 7, textOf(key), record);
            default -> Message.of(epoch, offset + 7, text(random), record);
        };
    }

    private static String text(SplittableRandom random) {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    private static String textOf(byte @Nullable [] key) {
        StringBuilder text = new StringBuilder();
        for (byte next : key == null ? new byte[0] : key) {
            text.append((char) (next & 0xff));
        }
        return text.toString();
    }

    private static byte @Nullable [] bytes(SplittableRandom random, int most) {
        if (random.nextInt(5) == 0) {
            return null;
        }
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static List<@Nullable Object> partsOf(Message message) {
        List<@Nullable Object> parts =
                new ArrayList<>(
                        Arrays.asList(
                                message.epoch(),
                                message.sequence(),
                                message.key(),
                                message.isKeyKept(),
                                message.refusal(),
                                message.toString(),
                                message.offset(),
                                message.leaderEpoch(),
                                message.timestampMillis(),
                                message.timestampType(),
                                message.heldBytes(),
                                text(message.keyBytes()),
                                text(message.value()),
                                message.hasHeaders()));
        message.headers()
                .forEach(
                        header -> {
                            parts.add(header.key());
                            parts.add(text(header.value()));
                        });
        return parts;
    }

    private static String text(byte @Nullable [] bytes) {
        return Arrays.toString(bytes);
    }

    @Test
    void eachComesOutInOrderWithAllItsParts() {
        Seeds.each(200, random -> addsAndTakes(random, new Slabs()));
    }

    /** Gives each slab away twice. */
    private static final class UsedTooEarly extends Slabs {
        private @Nullable Slab given;

        @Override
        synchronized Slab take() {
            Slab again = given;
            given = again == null ? super.take() : null;
            return again == null ? Objects.requireNonNull(given) : again;
        }
    }

    @Test
    void aSlabThatIsUsedAgainBeforeAllWasTakenOutIsSeen() {
        assertThatThrownBy(() -> Seeds.each(5, random -> addsAndTakes(random, new UsedTooEarly())))
                .isInstanceOf(Throwable.class);
    }

    private static void addsAndTakes(SplittableRandom random, Slabs slabs) {
        List<WaitingMessages> queues =
                List.of(new WaitingMessages(slabs), new WaitingMessages(slabs));
        List<Queue<List<@Nullable Object>>> wanted =
                List.of(new ArrayDeque<>(), new ArrayDeque<>());
        for (int offset = 0; offset < 1_000; ) {
            int queue = random.nextInt(2);
            List<Message> added = new ArrayList<>();
            for (int i = random.nextInt(100); i > 0; i--) {
                added.add(message(random, offset++));
            }
            added.forEach(it -> wanted.get(queue).add(partsOf(it)));
            queues.get(queue).add(added, random.nextInt(4) > 0);
            for (int i = random.nextInt(120); i > 0; i--) {
                take(queues.get(queue), wanted.get(queue));
            }
        }
    }

    private static void take(WaitingMessages queue, Queue<List<@Nullable Object>> wanted) {
        assertThat(queue.isWaiting()).isEqualTo(!wanted.isEmpty());
        Message next = queue.next();
        assertThat(next == null ? null : partsOf(next)).isEqualTo(wanted.poll());
    }

    @Test
    void whatWasTakenOutStaysAsItIsWhileItsMemoryIsUsedAgain() {
        SplittableRandom random = new SplittableRandom(1);
        List<Message> taken = new ArrayList<>();
        List<List<@Nullable Object>> before = new ArrayList<>();
        for (int offset = 0; offset < 5_000; offset++) {
            Message message = message(random, offset);
            before.add(partsOf(message));
            waiting.add(List.of(message), true);
            taken.add(Objects.requireNonNull(waiting.next()));
            if (offset % 3 == 0) {
                assertThat(waiting.next()).isNull();
            }
        }
        assertThat(taken.stream().map(WaitingMessagesTest::partsOf)).isEqualTo(before);
    }

    @Test
    void aKeyThatIsKeptIsNotCopied() {
        RowKey kept = new RowKey("k", new byte[] {'k'}, true);
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                Records.record(EPOCHS.get(0).partition(), 1, 0, "k", "v");
        waiting.add(List.of(Message.of(EPOCHS.get(0), 1, kept, record)), true);

        Message taken = Objects.requireNonNull(waiting.next());
        assertThat(taken.key()).isSameAs(kept.text());
        assertThat(taken.keyBytes()).isSameAs(kept.bytes());
        assertThat(taken.value()).isNotSameAs(record.value()).isEqualTo(record.value());
    }

    @Test
    void oneThreadAddsWhileAnotherTakes() throws Exception {
        CompletableFuture<Void> adds =
                CompletableFuture.runAsync(
                        () -> {
                            SplittableRandom random = new SplittableRandom(1);
                            for (int offset = 0; offset < MANY; ) {
                                List<Message> batch = new ArrayList<>();
                                for (int i = random.nextInt(1, 50); i > 0; i--, offset++) {
                                    String value = "value " + offset;
                                    batch.add(Records.message(EPOCHS.get(0), offset, "k", value));
                                }
                                waiting.add(batch, true);
                            }
                        });
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        int taken = 0;
        while (taken < MANY && System.nanoTime() < giveUp) {
            Message next = waiting.next();
            if (next != null) {
                assertThat(next.offset()).isEqualTo(taken);
                assertThat(next.value()).asString().isEqualTo("value " + taken);
                taken++;
            }
        }
        adds.get(1, TimeUnit.MINUTES);
        assertThat(taken).isEqualTo(MANY);
    }
}
