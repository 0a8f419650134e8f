package dev.envelope.idempotency.store.postgres.place;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of an application's slots on one server. Where a slot is, is where the schema of its
 * name has tables. While a slot is moved away, and after that, its schema has another name.
 */
public final class SlotSchemas {

    private static final String MOVING = "_moving";
    private static final String MOVED = "_moved_";
    private static final int LONGEST = 63;
    private static final Pattern SUFFIX =
            Pattern.compile("_([0-9]{2,3})(" + MOVING + "|" + MOVED + "[0-9_]+)?");

    /** In the order of the names: of several that were moved away, the last is the newest. */
    private static final String SCHEMAS =
            "SELECT n.nspname, pg_catalog.obj_description(n.oid, 'pg_namespace'), n.oid"
                    + " FROM pg_catalog.pg_namespace AS n WHERE n.nspname LIKE ? || '\\_%'"
                    + " AND EXISTS (SELECT FROM pg_catalog.pg_class AS c"
                    + " WHERE c.relnamespace = n.oid AND c.relname = 'application')"
                    + " ORDER BY n.nspname COLLATE \"C\"";

    private SlotSchemas() {}

    /**
     * What a server has of a slot.
     *
     * @param schema the server's number of the slot's schema, which it keeps under other names; 0
     *     if the slot is not there
     * @param came where it came from; null if it was made here
     * @param moving why its schema has another name for now; null if it has not
     * @param moved where it was moved to last; null if it never was
     */
    public record Here(
            long schema,
            @Nullable MoveNote came,
            @Nullable MoveNote moving,
            @Nullable MoveNote moved) {

        static final Here NOTHING = new Here(0, null, null, null);

        /** Whether the slot is there. */
        boolean isHere() {
            return schema != 0;
        }

        private Here here(long number, @Nullable MoveNote note) {
            return new Here(number, note, moving, moved);
        }

        private Here moving(@Nullable MoveNote note) {
            return new Here(schema, came, note, moved);
        }

        private Here moved(@Nullable MoveNote note) {
            return new Here(schema, came, moving, note == null ? moved : note);
        }
    }

    /** The schema of a slot. */
    public static String of(String schema, int slot) {
        return schema + "_%02d".formatted(slot);
    }

    /** The name that it has while it is moved. */
    static String moving(String schema) {
        return schema + MOVING;
    }

    /**
     * The name that it keeps after it was moved.
     *
     * @param at digits
     */
    static String moved(String schema, String at) {
        return schema + MOVED + at;
    }

    /** Whether Postgres would cut one of these names off. */
    public static boolean isTooLong(String schema) {
        return moved(schema, "20260131235959_9").length() > LONGEST;
    }

    /**
     * What a server has of the slots of an application, by their numbers. Any role may ask.
     *
     * @param schema without the number of a slot
     */
    public static SortedMap<Integer, Here> read(Connection connection, String schema)
            throws SQLException {
        SortedMap<Integer, Here> found = new TreeMap<>();
        try (PreparedStatement query = connection.prepareStatement(SCHEMAS)) {
            query.setString(1, schema.replace("_", "\\_"));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Matcher suffix = SUFFIX.matcher(row.getString(1).substring(schema.length()));
                    if (suffix.matches()) {
                        @Nullable MoveNote note = MoveNote.parse(row.getString(2));
                        int slot = Integer.parseInt(suffix.group(1));
                        Here before = found.getOrDefault(slot, Here.NOTHING);
                        @Nullable String what = suffix.group(2);
                        found.put(
                                slot,
                                what == null
                                        ? before.here(row.getLong(3), note)
                                        : what.equals(MOVING)
                                                ? before.moving(note)
                                                : before.moved(note));
                    }
                }
            }
        }
        return found;
    }
}
