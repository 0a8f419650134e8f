package dev.envelope.core.waiting;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.RowKey;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.Seeds;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final WaitingMessages waiting = new WaitingMessages(new Slabs());
    private long now;

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
                                message.headers().toArray().length));
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
                .isInstanceOf(Throwable.class)
                .isNotInstanceOf(OutOfMemoryError.class);
    }

    private static void addsAndTakes(SplittableRandom random, Slabs slabs) {
        List<WaitingMessages> queues =
                List.of(new WaitingMessages(slabs), new WaitingMessages(slabs));
        List<Queue<List<@Nullable Object>>> wanted =
                List.of(new ArrayDeque<>(), new ArrayDeque<>());
        long now = 0;
        for (int offset = 0; offset < 1_000; ) {
            int queue = random.nextInt(2);
            now += Duration.ofMillis(random.nextInt(300)).toNanos();
            List<Message> added = new ArrayList<>();
            for (int i = random.nextInt(100); i > 0; i--) {
                added.add(message(random, offset++));
            }
            added.forEach(it -> wanted.get(queue).add(partsOf(it)));
            queues.get(queue).add(added, now);
            for (int i = random.nextInt(120); i > 0; i--) {
                take(queues.get(queue), wanted.get(queue), now);
            }
        }
    }

    private static void take(
            WaitingMessages queue, Queue<List<@Nullable Object>> wanted, long now) {
        assertThat(queue.isWaiting()).isEqualTo(!wanted.isEmpty());
        Message next = queue.next(now);
        assertThat(next == null ? null : partsOf(next)).isEqualTo(wanted.poll());
    }

    /** Adds it and takes it out, when each message so far has waited for a second. */
    private Message afterALongTime(Message message) {
        waiting.add(List.of(message), now);
        now += SECOND;
        return Objects.requireNonNull(waiting.next(now));
    }

    @Test
    void onlyWhatIsLikelyToWaitForLongIsCopied() {
        byte[] value = {1, 2, 3};
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                new ConsumerRecord<>("t", 0, 1, null, value);
        Message message = Message.of(EPOCHS.get(0), 1, "k", record);
        waiting.add(List.of(message), 0);
        assertThat(waiting.next(SECOND / 10)).isSameAs(message);
        waiting.add(List.of(message), 10 * SECOND);
        assertThat(waiting.next(10 * SECOND)).as("a long time without any").isSameAs(message);

        waiting.add(List.of(message), 11 * SECOND);
        waiting.add(List.of(message), 12 * SECOND);
        assertThat(waiting.next(12 * SECOND)).isSameAs(message);
        assertThat(waiting.next(12 * SECOND)).isNotSameAs(message).hasToString("t-0@1");

        waiting.add(List.of(message), 12 * SECOND);
        assertThat(waiting.next(12 * SECOND)).as("the last one has").isNotSameAs(message);
        waiting.add(List.of(message), 12 * SECOND);
        assertThat(waiting.next(12 * SECOND)).as("it does no more").isSameAs(message);
    }

    @Test
    void aBurstLeavesFewSlabsBehind() {
        Slabs slabs = new Slabs();
        WaitingMessages queue = new WaitingMessages(slabs);
        Message message = Records.message(EPOCHS.get(0), 1, "k", "v");
        queue.add(Collections.nCopies(100_000, message), 0);
        for (int i = 0; i < 100_000; i++) {
            assertThat(queue.next(0)).isNotNull();
        }
        assertThat(slabs.unused()).isBetween(1, 100);
    }

    @Test
    void whatWasTakenOutStaysAsItIsWhileItsMemoryIsUsedAgain() {
        SplittableRandom random = new SplittableRandom(1);
        List<Message> taken = new ArrayList<>();
        List<List<@Nullable Object>> before = new ArrayList<>();
        for (int offset = 0; offset < 5_000; offset++) {
            Message message = message(random, offset);
            before.add(partsOf(message));
            taken.add(afterALongTime(message));
        }
        assertThat(taken.stream().map(WaitingMessagesTest::partsOf)).isEqualTo(before);
    }

    @Test
    void aKeyThatIsKeptIsNotCopied() {
        RowKey kept = new RowKey("k", new byte[] {'k'}, true);
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record =
                Records.record(EPOCHS.get(0).partition(), 1, 0, "k", "v");
        Message message = Message.of(EPOCHS.get(0), 1, kept, record);
        assertThat(afterALongTime(message)).isSameAs(message);

        Message taken = afterALongTime(message);
        assertThat(taken.key()).isSameAs(kept.text());
        assertThat(taken.keyBytes()).isSameAs(kept.bytes());
        assertThat(taken.value()).isNotSameAs(record.value()).isEqualTo(record.value());
    }

    @Test
    void whatWasTakenOutIsNotKept() {
        WeakReference<Message> taken = new WeakReference<>(largeOneTakenOut());
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (taken.get() != null && System.nanoTime() < giveUp) {
            System.gc();
        }
        assertThat(taken.get()).isNull();
        assertThat(waiting.isWaiting()).as("the queue is still in use").isFalse();
    }

    private Message largeOneTakenOut() {
        String value = "v".repeat(Slab.BYTES);
        return afterALongTime(Records.message(EPOCHS.get(0), 1, "k", value));
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
                                    value += offset % 7 == 0 ? " ".repeat(Slab.BYTES) : "";
                                    batch.add(Records.message(EPOCHS.get(0), offset, "k", value));
                                }
                                waiting.add(batch, offset / 1000 * SECOND);
                            }
                        });
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        int taken = 0;
        while (taken < MANY && System.nanoTime() < giveUp) {
            Message next = waiting.next(Long.MAX_VALUE / 2);
            if (next != null) {
                assertThat(next.offset()).isEqualTo(taken);
                assertThat(new String(next.value(), UTF_8).strip()).isEqualTo("value " + taken);
                taken++;
            }
        }
        adds.get(1, TimeUnit.MINUTES);
        assertThat(taken).isEqualTo(MANY);
    }
}
