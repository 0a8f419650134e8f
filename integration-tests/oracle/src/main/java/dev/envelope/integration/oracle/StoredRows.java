package dev.envelope.integration.oracle;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.testkit.Place;
import dev.envelope.integration.stack.Database;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is in the database, seen past the product: the documented tables.
 *
 * <p>Threads: immutable.
 */
public final class StoredRows {

    private static final LedgerCodec LEDGERS = new LedgerCodec();

    private final List<Schema> slots;

    public StoredRows(Database database, String schema) {
        this(List.of(new Schema(database, schema)));
    }

    /** Of rows that are divided. A source has one number in all slots. */
    public StoredRows(List<Schema> slots) {
        this.slots = List.copyOf(slots);
    }

    /**
     * One row of {@code state}.
     *
     * @param ledger null where the row has marks and no state
     * @param marks by partition
     */
    public record Row(long version, @Nullable Ledger ledger, Map<Integer, Long> marks, int parked) {

        /** All but the version and what the last save says of itself. */
        public String content() {
            @Nullable Ledger state = ledger;
            return (state == null ? "no state" : state.content())
                    + ", marks "
                    + new TreeMap<>(marks)
                    + ", parked "
                    + parked;
        }
    }

    /** The number of the partition for the number of each source. */
    public Map<Integer, Integer> partitions() {
        Map<Integer, Integer> partitions = new HashMap<>();
        for (String[] line : lines("SELECT number, partition FROM %s.source")) {
            partitions.put(Integer.valueOf(line[0]), Integer.valueOf(line[1]));
        }
        return partitions;
    }

    /** The rows by key. */
    public Map<String, Row> rows() {
        Map<Integer, Integer> partitions = partitions();
        Map<String, Row> rows = new TreeMap<>();
        for (@Nullable String[] line :
                lines("SELECT key, version, state::jsonb, marks, parked FROM %s.state")) {
            @Nullable String json = line[2];
            rows.put(
                    String.valueOf(line[0]),
                    new Row(
                            Long.parseLong(String.valueOf(line[1])),
                            json == null
                                    ? null
                                    : LEDGERS.decode(json.getBytes(StandardCharsets.UTF_8)),
                            byPartition(Marks.parse(String.valueOf(line[3])), partitions),
                            Integer.parseInt(String.valueOf(line[4]))));
        }
        return rows;
    }

    /** How far each key is done, by partition: what a sample has to read quickly. */
    Map<String, Map<Integer, Long>> marks(Map<Integer, Integer> partitions) {
        Map<String, Map<Integer, Long>> marks = new HashMap<>();
        for (String[] line : lines("SELECT key, marks FROM %s.state")) {
            marks.put(line[0], byPartition(Marks.parse(line[1]), partitions));
        }
        return marks;
    }

    /** The parked messages with their bytes. */
    Map<Place, ExpectedRows.ParkedBytes> parked() {
        Map<Integer, Integer> partitions = partitions();
        Map<Place, ExpectedRows.ParkedBytes> parked = new HashMap<>();
        String sql = "SELECT source, record_offset, key, value FROM %s.parked";
        query(
                sql,
                line -> {
                    int partition = partitions.getOrDefault(line.getInt(1), -1);
                    parked.put(
                            new Place(partition, line.getLong(2)),
                            new ExpectedRows.ParkedBytes(line.getBytes(3), line.getBytes(4)));
                });
        return parked;
    }

    /** Everything in a table, one text per row, in the order of the text: to be compared. */
    public List<String> dump(String columns, String table) {
        List<String> lines = new ArrayList<>();
        query(
                "SELECT (ROW(" + columns + "))::text FROM %s." + table,
                line -> lines.add(line.getString(1)));
        Collections.sort(lines);
        return lines;
    }

    static Map<Integer, Long> byPartition(Marks marks, Map<Integer, Integer> partitions) {
        Map<Integer, Long> next = new HashMap<>();
        partitions.forEach(
                (source, partition) -> {
                    long mark = marks.nextOffset(source);
                    if (mark > 0) {
                        next.put(partition, mark);
                    }
                });
        return next;
    }

    private List<String[]> lines(String sql) {
        List<String[]> lines = new ArrayList<>();
        query(
                sql,
                line -> {
                    String[] words = new String[line.getMetaData().getColumnCount()];
                    for (int i = 0; i < words.length; i++) {
                        words[i] = line.getString(i + 1);
                    }
                    lines.add(words);
                });
        return lines;
    }

    private interface LineReader {
        void read(ResultSet line) throws SQLException;
    }

    private void query(String sql, LineReader reader) {
        for (Schema slot : slots) {
            try (Connection connection = slot.database().connect();
                    Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery(sql.formatted(slot.name()))) {
                while (result.next()) {
                    reader.read(result);
                }
            } catch (SQLException e) {
                throw new IllegalStateException("the rows can't be read: " + sql, e);
            }
        }
    }
}
