package dev.envelope.core.waiting;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.RowKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A piece of memory for some messages that wait, one behind the other. Besides their bytes it has
 * what many of them share: epochs, and keys that are kept. A large message, and one that can't have
 * a row, is not taken apart.
 *
 * <p>Threads: one thread adds, another one takes what was handed over to it; {@link
 * WaitingMessages} does that.
 */
final class Slab {

    /** Of messages of an ordinary size this is enough for about fifty. */
    static final int BYTES = 8 * 1024;

    private static final int MOST_MESSAGES = 64;

    /** A larger message is not taken apart: the copy would cost more than the collector does. */
    private static final int LARGE = BYTES / 8;

    /** What is kept beside the bytes of a message: its epoch or itself; text and bytes of a key. */
    private static final int BESIDE = 3;

    private static final int NONE = -1;

    /** The text of a key: beside, as the bytes of the key, or apart with two bytes a character. */
    private static final int IS_KEPT = 0;

    private static final int IS_THE_BYTES = 1;
    private static final int IS_APART = 2;

    /** Numbers of a message that need eight bytes, and four. */
    private static final int LONGS = 3;

    private static final int INTS = 5;

    private static final TimestampType[] TIMESTAMP_TYPES = TimestampType.values();

    private final ByteBuffer in = ByteBuffer.allocate(BYTES);
    private final ByteBuffer out = in.duplicate();
    private final long[] longs = new long[LONGS * MOST_MESSAGES];
    private final int[] ints = new int[INTS * MOST_MESSAGES];
    private final @Nullable Object[] beside = new Object[BESIDE * MOST_MESSAGES];
    private int added;
    private int taken;
    private int end = NONE; // how many messages it has, once it takes no more
    @Nullable Slab next;

    /**
     * Adds a message.
     *
     * @return false if there is no room for it
     */
    boolean add(Message message, boolean asBytes) {
        if (added == MOST_MESSAGES) {
            return false;
        }
        if (asBytes && message.refusal() == null) {
            int textIs = textIs(message);
            int bytes = size(message, textIs);
            if (bytes <= LARGE) {
                if (bytes > in.remaining()) {
                    return false;
                }
                put(message, textIs, added++);
                return true;
            }
        }
        beside[BESIDE * added++] = message;
        return true;
    }

    /** It takes no more: what comes later is in the next one. */
    void endsWith(Slab other) {
        next = other;
        end = added;
    }

    /** Whether all is taken out, and what comes next is in the next one. */
    boolean isTakenOut() {
        return taken == end;
    }

    Message take() {
        int place = taken++;
        Object first = Objects.requireNonNull(beside[BESIDE * place]);
        Message message =
                first instanceof Message whole ? whole : get((PartitionEpoch) first, place);
        Arrays.fill(beside, BESIDE * place, BESIDE * place + BESIDE, null); // not kept from now on
        return message;
    }

    void clear() {
        in.clear();
        out.clear();
        added = 0;
        taken = 0;
        end = NONE;
        next = null;
    }

    private static int size(Message message, int textIs) {
        long bytes = Integer.BYTES + (long) length(message.value());
        if (textIs != IS_KEPT) {
            bytes += Integer.BYTES + length(message.keyBytes());
        }
        if (textIs == IS_APART) {
            bytes += Integer.BYTES + sizeOf(message.key());
        }
        for (Header header : message.headers().toArray()) {
            bytes += 2L * Integer.BYTES + sizeOf(header.key()) + length(header.value());
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    private static int length(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private static int sizeOf(String text) {
        return Character.BYTES * text.length();
    }

    private static int textIs(Message message) {
        if (message.isKeyKept()) {
            return IS_KEPT;
        }
        return hasCharactersAsBytes(message) ? IS_THE_BYTES : IS_APART;
    }

    /** Whether each byte of the key is a character of its text. */
    private static boolean hasCharactersAsBytes(Message message) {
        String text = message.key();
        byte[] bytes = message.keyBytes();
        if (bytes == null || bytes.length != text.length()) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if (text.charAt(i) != (bytes[i] & 0xff)) {
                return false;
            }
        }
        return true;
    }

    private void put(Message message, int textIs, int place) {
        int at = LONGS * place;
        longs[at] = message.sequence();
        longs[at + 1] = message.offset();
        longs[at + 2] = message.timestampMillis();
        at = INTS * place;
        ints[at] = message.leaderEpoch();
        ints[at + 1] = message.heldBytes();
        ints[at + 2] = message.timestampType().id;
        ints[at + 3] = textIs;
        putKey(message, textIs, place);
        ints[at + 4] = putHeaders(message.headers().toArray());
        beside[BESIDE * place] = message.epoch();
        put(message.value());
    }

    private void putKey(Message message, int textIs, int place) {
        if (textIs == IS_KEPT) {
            beside[BESIDE * place + 1] = message.key();
            beside[BESIDE * place + 2] = message.keyBytes();
            return;
        }
        put(message.keyBytes());
        if (textIs == IS_APART) {
            put(message.key());
        }
    }

    private int putHeaders(Header[] headers) {
        for (Header header : headers) {
            put(header.key());
            put(header.value());
        }
        return headers.length;
    }

    private void put(String text) {
        in.putInt(text.length());
        for (int i = 0; i < text.length(); i++) {
            in.putChar(text.charAt(i));
        }
    }

    private void put(byte @Nullable [] bytes) {
        if (bytes == null) {
            in.putInt(NONE);
        } else {
            in.putInt(bytes.length);
            in.put(bytes);
        }
    }

    private Message get(PartitionEpoch epoch, int place) {
        int atLongs = LONGS * place;
        int at = INTS * place;
        RowKey key = getKey(ints[at + 3], place);
        Headers headers = ints[at + 4] == 0 ? Message.withoutHeaders() : getHeaders(ints[at + 4]);
        byte[] value = getBytes();
        Message.InLog inLog =
                new Message.InLog(
                        longs[atLongs],
                        longs[atLongs + 1],
                        ints[at],
                        longs[atLongs + 2],
                        timestampType(ints[at + 2]),
                        ints[at + 1]);
        return Message.ofParts(epoch, key, inLog, value, headers);
    }

    private static TimestampType timestampType(int id) {
        for (TimestampType type : TIMESTAMP_TYPES) {
            if (type.id == id) {
                return type;
            }
        }
        throw new InvariantViolation("no type of timestamp has the number " + id);
    }

    private RowKey getKey(int textIs, int place) {
        if (textIs == IS_KEPT) {
            String text = (String) Objects.requireNonNull(beside[BESIDE * place + 1]);
            return new RowKey(text, (byte[]) beside[BESIDE * place + 2], true);
        }
        byte[] bytes = getBytes();
        if (textIs == IS_THE_BYTES) {
            byte[] text = Objects.requireNonNull(bytes);
            return new RowKey(new String(text, StandardCharsets.ISO_8859_1), bytes);
        }
        return new RowKey(getText(), bytes);
    }

    private String getText() {
        char[] text = new char[out.getInt()];
        for (int i = 0; i < text.length; i++) {
            text[i] = out.getChar();
        }
        return new String(text);
    }

    private byte @Nullable [] getBytes() {
        int length = out.getInt();
        if (length == NONE) {
            return null;
        }
        byte[] bytes = new byte[length];
        out.get(bytes);
        return bytes;
    }

    private Headers getHeaders(int count) {
        Header[] headers = new Header[count];
        for (int i = 0; i < count; i++) {
            headers[i] = new RecordHeader(getText(), getBytes());
        }
        return new RecordHeaders(headers);
    }
}
