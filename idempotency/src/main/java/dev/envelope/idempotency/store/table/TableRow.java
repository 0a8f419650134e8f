package dev.envelope.idempotency.store.table;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row that is a message.
 *
 * <p>The array is never changed.
 *
 * @param key the text of the key's column
 * @param id the text of the id's column
 */
public record TableRow(String key, String id, byte @Nullable [] value, long timestampMillis) {

    /** The header of a message with the id of its row. */
    public static final String ID = "envelope.row";

    /** Where a pass over the rows has come to. */
    public record Place(String key, String id) {}

    /** Its place in a pass. */
    public Place place() {
        return new Place(key, id);
    }

    /** Its size, of which the id counts twice. */
    public long bytes() {
        return key.length() + 2L * id.length() + (value == null ? 0 : value.length);
    }

    /** The id of the row that a message is; null if it comes from a topic. */
    public static @Nullable String idOf(Message message) {
        byte @Nullable [] id = TableSettings.isTable(message.topic()) ? message.header(ID) : null;
        return id == null ? null : new String(id, StandardCharsets.UTF_8);
    }

    /**
     * What names a message within its source, whatever number it gets when it is read again: its
     * offset or, if it is a row, a hash of the row, above all numbers. Of the whole row, since an
     * id may come again, for another one.
     */
    public static long placeOf(Message message) {
        byte @Nullable [] id = TableSettings.isTable(message.topic()) ? message.header(ID) : null;
        if (id == null) {
            return message.offset();
        }
        long hash =
                hashed(
                        hashed(hashed(0xcbf29ce484222325L, id), message.keyBytes()),
                        message.value());
        return 1L << 62 | hash >>> 2;
    }

    /** FNV-1a, with the length before the bytes. */
    private static long hashed(long before, byte @Nullable [] bytes) {
        long hash = (before ^ (bytes == null ? -1 : bytes.length)) * 0x100000001b3L;
        if (bytes != null) {
            for (byte each : bytes) {
                hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
            }
        }
        return hash;
    }

    /** The ids of those messages that are rows. */
    public static List<String> idsOf(List<Message> messages) {
        List<String> ids = new ArrayList<>(0);
        for (Message message : messages) {
            @Nullable String id = idOf(message);
            if (id != null) {
                ids.add(id);
            }
        }
        return ids;
    }

    /** Whether one of these messages is a row. */
    public static boolean isAmong(List<Message> messages) {
        for (Message message : messages) {
            if (TableSettings.isTable(message.topic())) {
                return true;
            }
        }
        return false;
    }
}
