package dev.envelope.integration.oracle;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.testkit.Evidence;
import dev.envelope.idempotency.testkit.Place;
import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table that a trigger writes: one line for each save of a row, in the transaction that saved it.
 * It has no unique constraint, so that what is saved twice shows.
 *
 * <p>Threads: immutable.
 */
public final class Journal {

    private static final List<String> INSTALL =
            List.of(
                    "CREATE TABLE %1$s.journal (position bigint GENERATED ALWAYS AS IDENTITY"
                            + " PRIMARY KEY, key text COLLATE \"C\", version bigint, marks text,"
                            + " state json, transaction bigint DEFAULT txid_current())",
                    "CREATE FUNCTION %1$s.write_journal() RETURNS trigger LANGUAGE plpgsql AS $$"
                            + " BEGIN INSERT INTO %1$s.journal (key, version, marks, state) VALUES"
                            + " (NEW.key, NEW.version, NEW.marks, CASE WHEN TG_OP = 'UPDATE' AND"
                            + " OLD.state::text = NEW.state::text THEN NULL ELSE NEW.state END);"
                            + " RETURN NULL; END $$",
                    "CREATE TRIGGER journal AFTER INSERT OR UPDATE ON %1$s.state FOR EACH ROW"
                            + " EXECUTE FUNCTION %1$s.write_journal()");

    private final List<Schema> slots;

    /** Of a schema that the product has migrated. */
    public Journal(Database database, String schema) {
        this(List.of(new Schema(database, schema)));
    }

    /** Of several, each of which has the rows of some keys. */
    public Journal(List<Schema> slots) {
        this.slots = List.copyOf(slots);
    }

    /** Makes the table and its trigger; before the first consumer is started. */
    public void install() {
        for (Schema slot : slots) {
            try (Connection connection = slot.database().connect();
                    Statement statement = connection.createStatement()) {
                for (String sql : INSTALL) {
                    statement.execute(sql.formatted(slot.name()));
                }
            } catch (SQLException e) {
                throw new IllegalStateException("no journal in " + slot, e);
            }
        }
    }

    /**
     * Hands out the saves, of each key in their order.
     *
     * @param partitions the partition's number for each source's
     */
    void read(Map<Integer, Integer> partitions, Consumer<Evidence.Saved> reader) {
        slots.forEach(slot -> read(slot, partitions, reader));
    }

    private static void read(
            Schema slot, Map<Integer, Integer> partitions, Consumer<Evidence.Saved> reader) {
        String sql =
                "SELECT key, version, marks, state->>'by', state->>'applied' FROM "
                        + slot.name()
                        + ".journal ORDER BY position";
        try (Connection connection = slot.database().connect()) {
            connection.setAutoCommit(false); // else the driver holds the whole answer
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(1_000);
                try (ResultSet line = statement.executeQuery(sql)) {
                    while (line.next()) {
                        reader.accept(saved(line, partitions));
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the journal can't be read", e);
        }
    }

    private static Evidence.Saved saved(ResultSet line, Map<Integer, Integer> partitions)
            throws SQLException {
        @Nullable String by = line.getString(4);
        String[] who = by == null || by.isEmpty() ? new String[] {"?", "0"} : by.split("#", 2);
        return new Evidence.Saved(
                line.getString(1),
                line.getLong(2),
                StoredRows.byPartition(Marks.parse(line.getString(3)), partitions),
                who[0],
                Long.parseLong(who[1]),
                places(line.getString(5)));
    }

    private static List<Place> places(@Nullable String applied) {
        List<Place> places = new ArrayList<>();
        if (applied != null && !applied.isEmpty()) {
            for (String word : applied.split(" ", -1)) {
                int colon = word.indexOf(':');
                places.add(
                        new Place(
                                Integer.parseInt(word, 0, colon, 10),
                                Long.parseLong(word, colon + 1, word.length(), 10)));
            }
        }
        return places;
    }
}
