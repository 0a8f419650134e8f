package dev.envelope.idempotency.store.table;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows are messages. It is in the database of the states, so that a row is done in
 * the transaction that saves its effect.
 *
 * @param table its name, in the schema {@code public} if it names none
 * @param key the column whose text is the message's key
 * @param id the column that names a row, and orders those of a key
 * @param value the column that is the message's value; null for the whole row as JSON
 * @param where a condition in SQL that a row must fulfil to be a message; null if all are
 * @param time the column with the message's time; null if that is when it is read
 * @param done the column that is set when a row is done; null if it is deleted
 * @param slot the column with a number that divides the rows among slots; null if the key does
 * @param channel where the server notifies of new rows; null if they are only looked for
 */
public record TableSettings(
        String table,
        String key,
        String id,
        @Nullable String value,
        @Nullable String where,
        @Nullable String time,
        @Nullable String done,
        @Nullable String slot,
        @Nullable String channel) {

    private static final String PREFIX = "table:";

    public TableSettings {
        table = table.indexOf('.') < 0 ? "public." + table : table; // one name for one table
    }

    /** A table of which everything is read, and deleted. */
    public TableSettings(String table, String key, String id) {
        this(table, key, id, null, null, null, null, null, null);
    }

    /** Its name among the sources; no topic can have it. */
    public String source() {
        return PREFIX + table;
    }

    /** Its id among the sources: the table is the same as long as its name is. */
    public Uuid sourceId() {
        UUID id = UUID.nameUUIDFromBytes(source().getBytes(StandardCharsets.UTF_8));
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** Whether this is the name of a table among the sources. */
    public static boolean isTable(String source) {
        return source.startsWith(PREFIX);
    }
}
