package dev.envelope.integration.demo.inventory;

import dev.envelope.integration.example.Stock;
import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares each row with its log up to the offset that the row's marks name, each event of a
 * consumer with {@code isolation.level=read_committed}, and each answer that a caller was given,
 * while everything goes on.
 *
 * <p>Threads: one looks; answers come from others, by a concurrent queue.
 */
final class Auditor implements AutoCloseable {

    /** With the partition whose log the mark is about. */
    private static final String ROWS =
            """
            SELECT key, state::jsonb, marks, parked,
                   (SELECT partition FROM %1$s.source
                    WHERE number = nullif(split_part(marks, ':', 1), '')::int),
            """
                    + Deliveries.DONE_OF_DEPOT
                    + " FROM %1$s.state";

    /**
     * Source, next offset, leader epoch of a mark; there is one, since topics do not grow here.
     * None before the first record.
     */
    private static final Pattern MARK = Pattern.compile("(\\d+):(\\d+)(@\\d+)?");

    private static final int MOST_WORDS = 5;
    private static final int MOST_ITEMS = 8;

    /** A row, and how far its partition's log is applied to it. */
    private record StoredRow(
            String item, ItemBook.Row row, int partition, long nextOffset, int parked) {

        boolean isOfDepot() {
            return item.startsWith(Deliveries.DEPOT);
        }
    }

    /** What a caller was told: something for the book of an item. */
    private record Told(String item, Consumer<ItemBook> entry) {}

    private final JsonMapper json = JsonMapper.builder().build();
    private final Database database;
    private final String schema;
    private final LogReader log;
    private final LogReader events;
    private final ConcurrentLinkedQueue<Told> told = new ConcurrentLinkedQueue<>();
    private final Map<String, ItemBook> books = new TreeMap<>();
    private final Deliveries deliveries;
    private final Map<String, Long> brought = new TreeMap<>(); // rows of each depot
    private long lastDelivery;
    private long rowsOfTheTable;

    Auditor(String bootstrapServers, Database database, String schema, Deliveries deliveries) {
        this.deliveries = deliveries;
        this.database = database;
        this.schema = schema;
        this.log = new LogReader(bootstrapServers, InventoryPlay.TOPIC);
        this.events = new LogReader(bootstrapServers, Stock.EVENTS);
    }

    /**
     * What was found.
     *
     * @param tableRows how many rows of the table of deliveries there are
     * @param items those of which most was sold
     * @param isAtRest whether nothing is reserved, and all that was sent is applied and told
     */
    record Audit(
            ItemBook.Count count,
            long tableRows,
            List<Line> items,
            List<String> wrong,
            boolean isAtRest) {

        boolean isRight() {
            return wrong.isEmpty();
        }
    }

    /** How an item stands. */
    record Line(String item, ItemBook.Count count) {}

    /** What is there before the log begins; none of it is under way any more. */
    void opened() {
        readDeliveries();
    }

    /**
     * A depot's rows are its log: they are all inserted one after the other, so that those that are
     * done are the first.
     */
    private void readDeliveries() {
        for (Deliveries.Delivery each : deliveries.behind(lastDelivery)) {
            boolean isOfDepot = each.item().startsWith(Deliveries.DEPOT);
            long offset = isOfDepot ? brought.merge(each.item(), 1L, Long::sum) - 1 : -1;
            book(each.item()).logged(Entry.delivered(offset, each.quantity()));
            lastDelivery = each.id();
            rowsOfTheTable++;
        }
    }

    /** A caller was given an answer. */
    void told(String item, String command, ItemBook.Event answer) {
        told.add(new Told(item, book -> book.told(command, answer)));
    }

    /** A caller has read a row that had to have a record applied. */
    void read(Caller.Reading reading, long atLeast) {
        told.add(
                new Told(
                        reading.item(),
                        book -> book.read(reading.nextOffset(), reading.row(), atLeast)));
    }

    /** Compares what there is now. */
    Audit look() {
        List<String> wrong = new ArrayList<>();
        List<StoredRow> rows = rows();
        readDeliveries();
        log.readToEnd(it -> book(it.key()).logged(Entry.of(it)));
        for (Told next = told.poll(); next != null; next = told.poll()) {
            next.entry().accept(book(next.item()));
        }
        for (StoredRow row : rows) {
            if (row.parked() > 0) {
                wrong.add(row.item() + ": " + row.parked() + " messages are parked");
            }
            if (row.isOfDepot() || log.position(row.partition()) >= row.nextOffset()) {
                book(row.item()).row(row.nextOffset(), row.row());
            }
        }
        events.readToEnd(it -> book(it.key()).event(event(json.readTree(it.value()))));
        ItemBook.Count count = ItemBook.Count.NONE;
        boolean isAtRest = true;
        for (ItemBook book : books.values()) {
            wrong.addAll(book.wrong());
            count = count.plus(book.count());
            isAtRest &= book.isAtRest();
        }
        return new Audit(count, rowsOfTheTable, items(), List.copyOf(wrong), isAtRest);
    }

    /**
     * The same, once nothing is sent any more and nothing is under way: now nothing may be missing.
     */
    Audit lookForMissing() {
        Audit seen = look();
        List<String> wrong = new ArrayList<>(seen.wrong());
        books.values().forEach(ItemBook::settled);
        books.values().stream()
                .flatMap(it -> it.wrong().stream())
                .filter(it -> !wrong.contains(it))
                .forEach(wrong::add);
        wrong.addAll(answersThatDiffer());
        return new Audit(
                seen.count(), seen.tableRows(), seen.items(), List.copyOf(wrong), seen.isAtRest());
    }

    /** By the table of answers, for all commands that it still has. */
    private List<String> answersThatDiffer() {
        List<String> wrong = new ArrayList<>();
        read(
                "SELECT key, command, disposition, convert_from(value, 'UTF8') FROM %s.reply",
                found -> {
                    String result = found.getString(3);
                    ItemBook.Event answer = event(json.readTree(found.getString(4)));
                    if (!result.equals("applied")
                            || book(found.getString(1)).isOther(found.getString(2), answer)) {
                        wrong.add(
                                "%s: the answer to command %s is %s, %s"
                                        .formatted(
                                                found.getString(1),
                                                found.getString(2),
                                                result,
                                                answer));
                    }
                });
        return wrong.subList(0, Math.min(MOST_WORDS, wrong.size()));
    }

    private List<Line> items() {
        return books.entrySet().stream()
                .map(it -> new Line(it.getKey(), it.getValue().count()))
                .sorted(Comparator.comparingLong((Line it) -> it.count().sold()).reversed())
                .limit(MOST_ITEMS)
                .toList();
    }

    private ItemBook book(String item) {
        return books.computeIfAbsent(item, ItemBook::new);
    }

    private List<StoredRow> rows() {
        List<StoredRow> rows = new ArrayList<>();
        read(
                ROWS,
                found -> {
                    String marks = found.getString(3);
                    Matcher mark = MARK.matcher(marks);
                    if (!mark.matches() && !marks.isEmpty()) {
                        throw new IllegalStateException(
                                "marks of a kind that can't be here: " + marks);
                    }
                    rows.add(
                            new StoredRow(
                                    found.getString(1),
                                    row(json.readTree(found.getString(2))),
                                    found.getInt(5),
                                    found.getObject(6) != null
                                            ? found.getLong(6)
                                            : marks.isEmpty() ? 0 : Long.parseLong(mark.group(2)),
                                    found.getInt(4)));
                });
        return rows;
    }

    private interface Reading {
        void read(ResultSet found) throws SQLException;
    }

    private void read(String query, Reading reading) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query.formatted(schema))) {
            while (found.next()) {
                reading.read(found);
            }
        } catch (SQLException e) {
            throw new ServerAwayException("the tables can't be read: " + e.getMessage(), e);
        }
    }

    static ItemBook.Row row(JsonNode state) {
        Map<String, Long> reserved = new TreeMap<>();
        state.path("reserved")
                .properties()
                .forEach(it -> reserved.put(it.getKey(), it.getValue().asLong()));
        return new ItemBook.Row(
                state.path("available").asLong(), reserved, state.path("sold").asLong());
    }

    /** An event or an answer: both have the same form. */
    static ItemBook.Event event(JsonNode event) {
        return new ItemBook.Event(
                event.path("what").asString(),
                event.path("order").asString(""),
                event.path("quantity").asLong(),
                event.path("available").asLong());
    }

    @Override
    public void close() {
        log.close();
        events.close();
    }
}
