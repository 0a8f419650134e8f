package dev.envelope.integration.oracle;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The keyed ledger: transactions of records, all derived from one seed.
 *
 * <p>Keys are skewed. The special records come at rates that share no factor with the number of
 * keys, so that they don't all meet one key.
 *
 * <p>Threads: one at a time.
 */
public final class LedgerWorkload {

    private static final int ABORTED_ONE_IN = 17;
    private static final int DUPLICATE_ONE_IN = 53;
    private static final int TOMBSTONE_ONE_IN = 101;
    private static final int MALFORMED_ONE_IN = 211;
    private static final int WITHOUT_ROW_ONE_IN = 307;
    private static final int FLAKY_ONE_IN = 2_003;
    private static final int LARGE_ONE_IN = 3_001;
    private static final int LARGE_BYTES = 100_000;
    private static final int REMEMBERED = 64;

    /** One transaction. */
    public record Transaction(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records, boolean aborted) {}

    private final String topic;
    private final boolean isPlain;
    private final Random random;
    private final ZipfKeys keys;
    private final Map<String, Long> lastSeqs = new HashMap<>();
    private final Deque<Sent> recent = new ArrayDeque<>();

    private record Sent(String key, Event event) {}

    private LedgerWorkload(String topic, long seed, int keys, boolean isPlain) {
        this.topic = topic;
        this.isPlain = isPlain;
        this.random = new Random(seed);
        this.keys = new ZipfKeys(keys, 1.0);
    }

    /** With everything that a log can bring. */
    public static LedgerWorkload of(String topic, long seed, int keys) {
        return new LedgerWorkload(topic, seed, keys, false);
    }

    /** Events only: no duplicates, nothing to be parked, no handler that fails, nothing aborted. */
    public static LedgerWorkload plain(String topic, long seed, int keys) {
        return new LedgerWorkload(topic, seed, keys, true);
    }

    /** The next transaction, with about so many records. */
    public Transaction next(int size) {
        boolean aborted = isOneIn(ABORTED_ONE_IN);
        List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            records.add(aborted ? abortedEvent() : record());
        }
        return new Transaction(records, aborted);
    }

    private ProducerRecord<byte @Nullable [], byte @Nullable []> abortedEvent() {
        String key = keys.next(random);
        long seq = lastSeqs.getOrDefault(key, 0L) + 1; // does not count: it will come again
        Event event = new Event("aborted-" + key + '-' + seq, seq, 1, true, false);
        return event(Kind.EVENT, key, event);
    }

    private ProducerRecord<byte @Nullable [], byte @Nullable []> record() {
        if (isOneIn(DUPLICATE_ONE_IN) && !recent.isEmpty()) {
            Sent before = recent.stream().skip(random.nextInt(recent.size())).findFirst().get();
            return event(Kind.DUPLICATE, before.key(), before.event());
        }
        String key = keys.next(random);
        if (isOneIn(TOMBSTONE_ONE_IN)) {
            return record(Kind.TOMBSTONE, key, null, "tombstone-" + random.nextLong());
        }
        if (isOneIn(MALFORMED_ONE_IN)) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            // A key of its own, since it will be parked with all that comes after.
            return record(Kind.MALFORMED, "malformed-" + key, bytes, null);
        }
        if (isOneIn(WITHOUT_ROW_ONE_IN)) {
            String noKey = random.nextBoolean() ? null : "nul\0" + key;
            return record(Kind.WITHOUT_ROW, noKey, bytes("{\"of\":\"nobody\"}"), null);
        }
        return event(Kind.EVENT, key, nextEvent(key));
    }

    private Event nextEvent(String key) {
        long seq = lastSeqs.merge(key, 1L, Long::sum);
        Event event =
                new Event(
                        key + '-' + seq,
                        seq,
                        random.nextInt(1_000) - 300,
                        false,
                        isOneIn(FLAKY_ONE_IN));
        recent.addLast(new Sent(key, event));
        if (recent.size() > REMEMBERED) {
            recent.removeFirst();
        }
        return event;
    }

    private ProducerRecord<byte @Nullable [], byte @Nullable []> event(
            Kind kind, String key, Event event) {
        int padding = isOneIn(LARGE_ONE_IN) ? LARGE_BYTES : random.nextInt(60);
        return record(kind, key, event.toJson(padding), event.id());
    }

    private ProducerRecord<byte @Nullable [], byte @Nullable []> record(
            Kind kind, @Nullable String key, byte @Nullable [] value, @Nullable String id) {
        ProducerRecord<byte @Nullable [], byte @Nullable []> record =
                new ProducerRecord<>(topic, key == null ? null : bytes(key), value);
        kind.writeTo(record.headers());
        if (id != null) {
            record.headers().add(Event.ID_HEADER, bytes(id));
        }
        return record;
    }

    private boolean isOneIn(int rate) {
        return random.nextInt(rate) == 0 && !isPlain;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
