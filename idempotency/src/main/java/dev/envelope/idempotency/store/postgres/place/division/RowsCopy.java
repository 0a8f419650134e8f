package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the table {@code state} of all slots what that of the undivided rows is, batch by batch in
 * the order of the keys. Each copy says of which version of its row it is. What is the same already
 * is not copied again: so whoever was ended goes on where he was, and the last step copies what has
 * changed since.
 *
 * <p>Threads: one thread.
 */
final class RowsCopy {

    /** Of so many rows keys and versions are in memory. */
    private static final int BATCH = 10_000;

    private final Connection from;
    private final String unquoted;
    private final String schema;
    private final DividedPlaces places;
    private final Division division;

    private static final String SPREAD = "SELECT null_key_spread FROM %1$s.application";

    private static final String MIN_PROGRAM =
            "SELECT coalesce((to_jsonb(a) ->> 'min_program')::int, 0) FROM %1$s.application AS a";

    private static final String XMIN = "xmin::text::bigint";

    RowsCopy(Connection from, String schema, DividedPlaces places, Division division) {
        this.from = from;
        this.unquoted = schema;
        this.schema = TableCopies.quoted(schema);
        this.places = places;
        this.division = division;
    }

    /** What follows each batch. */
    interface AfterBatch {
        void seen(long rows) throws SQLException;
    }

    /**
     * Copies what differs.
     *
     * @param then is told of the rows so far
     * @return how many rows were copied
     */
    long states(AfterBatch then) throws SQLException {
        long seen = 0;
        long copied = 0;
        @Nullable String after = null;
        do {
            Map<String, DividedRows.Print> batch = read(after);
            @Nullable String upTo = batch.size() < BATCH ? null : last(batch);
            copied += bring(new DividedRows.Range(after, upTo), batch);
            seen += batch.size();
            then.seen(seen);
            after = upTo;
        } while (after != null);
        return copied;
    }

    private Map<String, DividedRows.Print> read(@Nullable String after) throws SQLException {
        Map<String, DividedRows.Print> batch = new LinkedHashMap<>();
        new Statements(from, "")
                .query(
                        DividedRows.Print.query(
                                        schema, XMIN, new DividedRows.Range(after, null).where())
                                + " ORDER BY key LIMIT "
                                + BATCH,
                        row -> batch.put(row.getString(1), DividedRows.Print.of(row)));
        return batch;
    }

    private static String last(Map<String, DividedRows.Print> batch) {
        String last = "";
        for (String key : batch.keySet()) {
            last = key;
        }
        return last;
    }

    /** In a transaction at each place. */
    private long bring(DividedRows.Range range, Map<String, DividedRows.Print> batch)
            throws SQLException {
        Map<String, DividedRows.Print> copies = new HashMap<>();
        places.each(
                place -> {
                    place.begin();
                    place.rows().copies(range, copies);
                });
        List<String> stale = new ArrayList<>();
        batch.forEach(
                (key, print) -> {
                    if (!print.equals(copies.remove(key))) {
                        stale.add(key);
                    }
                });
        // what is left is gone, or has come since
        long copied = 0;
        if (stale.size() > BATCH / 4) {
            places.each(place -> place.rows().delete(range));
            copied = copy(range.where());
        } else if (!stale.isEmpty() || !copies.isEmpty()) {
            delete(stale);
            delete(copies.keySet());
            copied = stale.isEmpty() ? 0 : copy(DividedRows.Range.where(stale));
        }
        places.each(DividedPlace::commit);
        return copied;
    }

    private void delete(Collection<String> keys) throws SQLException {
        Map<Integer, List<String>> bySlot =
                keys.stream().collect(Collectors.groupingBy(division::slotOf));
        places.each(
                place -> {
                    for (int slot : place.slots()) {
                        List<String> its = bySlot.getOrDefault(slot, List.of());
                        if (!its.isEmpty()) {
                            place.rows().delete(slot, its);
                        }
                    }
                });
    }

    private long copy(String where) throws SQLException {
        String columns =
                TableCopies.columns(from, unquoted, "state").keySet().stream()
                        .map(TableCopies::quoted)
                        .collect(Collectors.joining(", "));
        String query =
                "SELECT key, NULL::int, %s, %s FROM %s.state".formatted(columns, XMIN, schema)
                        + where;
        String written = columns + ", " + DividedRows.COPY_OF;
        return new RoutedRows(
                        division,
                        (slot, rows) -> places.of(slot).rows().write(slot, "state", written, rows))
                .read(from, query, false);
    }

    /**
     * Copies the other tables.
     *
     * @return how many rows each of them has
     */
    Map<String, Long> tables() throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        places.each(
                place -> {
                    place.begin();
                    place.rows().empty();
                });
        for (DividedTable table : DividedTable.copied()) {
            String columns =
                    TableCopies.columns(from, unquoted, table.name()).keySet().stream()
                            .map(TableCopies::quoted)
                            .collect(Collectors.joining(", "));
            RoutedRows routed =
                    new RoutedRows(
                            division,
                            (slot, its) ->
                                    places.of(slot).rows().write(slot, table.name(), columns, its));
            rows.put(
                    table.name(),
                    routed.read(
                            from,
                            table.query(schema, columns),
                            table.way() == DividedTable.Way.TO_ALL));
        }
        Statements old = new Statements(from, schema);
        @Nullable Object spread =
                old.one(SPREAD, row -> Optional.ofNullable(row.getObject(1))).orElse(null);
        int minProgram = old.one(MIN_PROGRAM, row -> row.getInt(1));
        places.each(
                place -> {
                    place.rows().complete(from, unquoted, spread, minProgram);
                    place.commit();
                });
        return rows;
    }

    /**
     * Counts all rows, those of all slots together.
     *
     * @throws RefusedSqlException if some are missing, or are there twice
     */
    void count() throws SQLException {
        List<String> once = new ArrayList<>(List.of("state"));
        DividedTable.of(DividedTable.Way.ROUTED).forEach(it -> once.add(it.name()));
        List<String> all = new ArrayList<>(once);
        all.addAll(List.of("source", "skipped")); // the others of all slots have rows of their own
        places.each(DividedPlace::begin); // so that whoever goes on can end this session
        for (String table : all) {
            long old = TableCopies.count(from, schema + "." + table);
            long there = 0;
            for (DividedPlace place : places.all()) {
                there += place.rows().count(table);
            }
            long should = once.contains(table) ? old : old * division.slots();
            if (there != should) {
                throw new RefusedSqlException(
                        "of %s.%s there are %d rows in all slots, and there should be %d: nothing was given its name"
                                .formatted(unquoted, table, there, should));
            }
        }
        places.each(DividedPlace::commit);
    }
}
