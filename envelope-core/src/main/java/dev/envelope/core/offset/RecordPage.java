package dev.envelope.core.offset;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Some records of a ledger, one after the other, each named by its place; or, if the page is small,
 * those few of them that are unacked.
 *
 * <p>Threads: poll thread only.
 */
final class RecordPage {

    static final int BITS = 7;
    private static final int RECORDS = 1 << BITS;

    /** A full page with no more unacked records becomes a small one. */
    private static final int FEW = RECORDS / 8;

    /** Room for the keys at first. */
    private static final int KEYS = 8 * RECORDS;

    private final byte @Nullable [] places; // of the records of a small page, ascending
    private final long[] offsets;
    private final long[] timestamps;
    private final int[] leaderEpochs;
    private final int[] heldBytes; // 0 of those that are acked
    private final @Nullable String[] texts; // of keys that are kept anyway, or that aren't Latin
    private final int[] keyEnds;
    private byte[] keys; // the others, a byte for each character
    private int records;
    private int unacked;

    /** An empty page. */
    RecordPage() {
        this(RECORDS, null, KEYS);
    }

    private RecordPage(int room, byte @Nullable [] places, int keys) {
        this.places = places;
        this.offsets = new long[room];
        this.timestamps = new long[room];
        this.leaderEpochs = new int[room];
        this.heldBytes = new int[room];
        this.texts = new String[room];
        this.keyEnds = new int[room];
        this.keys = new byte[keys];
    }

    /** The place of a sequence in its page. */
    static int at(long sequence) {
        return (int) (sequence & (RECORDS - 1));
    }

    void add(Message message) {
        add(
                message.offset(),
                message.leaderEpoch(),
                message.timestampMillis(),
                message.heldBytes(),
                message.key(),
                message.isKeyKept());
    }

    private void add(
            long offset, int leaderEpoch, long timestamp, int bytes, String key, boolean isKept) {
        int index = records++;
        offsets[index] = offset;
        leaderEpochs[index] = leaderEpoch;
        timestamps[index] = timestamp;
        heldBytes[index] = bytes;
        int start = keyStart(index);
        int end = isKept ? -1 : copy(key, start);
        texts[index] = end < 0 ? key : null;
        keyEnds[index] = Math.max(start, end);
        unacked++;
    }

    /** Returns where the key ends, or -1 if it has characters of more than a byte. */
    private int copy(String key, int start) {
        int end = start + key.length();
        if (end > keys.length) {
            keys = Arrays.copyOf(keys, Math.max(end, 2 * keys.length));
        }
        for (int i = 0; i < key.length(); i++) {
            char next = key.charAt(i);
            if (next > 0xff) {
                return -1;
            }
            keys[start + i] = (byte) next;
        }
        return end;
    }

    private int keyStart(int index) {
        return index == 0 ? 0 : keyEnds[index - 1];
    }

    /** The index of the record at a place; negative if the page is small and does not have it. */
    private int index(int place) {
        return places == null ? place : Arrays.binarySearch(places, (byte) place);
    }

    boolean has(int place) {
        int index = index(place);
        return index >= 0 && heldBytes[index] > 0;
    }

    /** Takes out a record; returns the bytes that it was held with, or 0 if it is not there. */
    int remove(int place) {
        int index = index(place);
        if (index < 0 || heldBytes[index] == 0) {
            return 0;
        }
        int bytes = heldBytes[index];
        heldBytes[index] = 0;
        unacked--;
        return bytes;
    }

    /** Whether no more will be added, and all is acked. */
    boolean isDone() {
        return unacked == 0 && (isSmall() || records == RECORDS);
    }

    /** Whether it is worth while to make a small page of it. */
    boolean isMostlyDone() {
        return unacked <= FEW && !isSmall() && records == RECORDS;
    }

    boolean isSmall() {
        return places != null;
    }

    /** A small page with its unacked records. */
    RecordPage small() {
        byte[] left = new byte[unacked];
        int count = 0;
        for (int place = 0; place < RECORDS; place++) {
            if (heldBytes[place] > 0) {
                left[count++] = (byte) place;
            }
        }
        RecordPage small = new RecordPage(count, left, 0);
        for (byte place : left) {
            small.add(
                    offsets[place],
                    leaderEpochs[place],
                    timestamps[place],
                    heldBytes[place],
                    key(place),
                    texts[place] != null);
        }
        return small;
    }

    /** Empties it, for other records. */
    void clear() {
        records = 0;
        unacked = 0;
        Arrays.fill(heldBytes, 0);
        Arrays.fill(texts, null);
        if (keys.length > 8 * KEYS) {
            keys = new byte[KEYS];
        }
    }

    long offset(int place) {
        return offsets[index(place)];
    }

    NextOffset asNext(int place) {
        return new NextOffset(offset(place), leaderEpochs[index(place)]);
    }

    MessageName name(TopicPartition partition, int place) {
        int index = index(place);
        return new MessageName(partition, offsets[index], key(index), timestamps[index]);
    }

    private String key(int index) {
        String text = texts[index];
        int start = keyStart(index);
        return text != null
                ? text
                : new String(keys, start, keyEnds[index] - start, StandardCharsets.ISO_8859_1);
    }

    long heldBytes() {
        long sum = 0;
        for (int index = 0; index < records; index++) {
            sum += heldBytes[index];
        }
        return sum;
    }

    int capacity() {
        return offsets.length;
    }
}
