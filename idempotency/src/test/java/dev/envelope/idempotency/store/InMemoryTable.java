package dev.envelope.idempotency.store;

import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.store.table.TableStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A table in memory whose rows are messages. It can't select by anything: each page is a scan of
 * all rows with a predicate.
 *
 * <p>Threads: thread-safe (its monitor).
 */
public final class InMemoryTable implements TableStore {

    private static final Comparator<TableRow.Place> ORDER =
            Comparator.comparing(TableRow.Place::key)
                    .thenComparingLong(it -> Long.parseLong(it.id()));

    private final TableSettings settings;
    private final Map<String, TableRow> rows = new HashMap<>();
    private long numbers;

    InMemoryTable(TableSettings settings) {
        this.settings = settings;
    }

    @Override
    public TableSettings settings() {
        return settings;
    }

    /** Inserts a row. */
    public synchronized void insert(TableRow row) {
        rows.put(row.id(), row);
    }

    /** All rows that are not done, by id. */
    public synchronized Map<String, TableRow> rows() {
        return Map.copyOf(rows);
    }

    /** Puts back what an earlier call of {@link #rows} returned. */
    public synchronized void restore(Map<String, TableRow> former) {
        rows.clear();
        rows.putAll(former);
    }

    synchronized boolean has(String id) {
        return rows.containsKey(id);
    }

    synchronized Set<String> waiting(Collection<String> ids) {
        Set<String> waiting = new HashSet<>(ids);
        waiting.retainAll(rows.keySet());
        return waiting;
    }

    /** They are done, with or without the save of a state. */
    public synchronized void done(Collection<String> ids) {
        rows.keySet().removeAll(ids);
    }

    /** The slot of a key: the checksum that everybody computes, modulo the number of slots. */
    public static int slotOf(String key, int slots) {
        CRC32 checksum = new CRC32();
        checksum.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (checksum.getValue() % slots);
    }

    private Stream<TableRow> of(Part part) {
        return rows.values().stream().filter(it -> slotOf(it.key(), part.slots()) == part.slot());
    }

    @Override
    public synchronized Page read(Part part, TableRow.@Nullable Place behind, Most most) {
        List<TableRow> page = new ArrayList<>();
        long bytes = 0;
        List<TableRow> all =
                of(part).filter(it -> behind == null || ORDER.compare(it.place(), behind) > 0)
                        .sorted(Comparator.comparing(TableRow::place, ORDER))
                        .toList();
        for (TableRow row : all) {
            if (page.size() == most.rows() || (!page.isEmpty() && bytes >= most.bytes())) {
                return new Page(page, false);
            }
            page.add(row);
            bytes += row.bytes();
        }
        return new Page(page, true);
    }

    @Override
    public synchronized long count(Part part, long limit) {
        return of(part).limit(limit).count();
    }

    @Override
    public synchronized long numbers() {
        return ++numbers * NUMBERS;
    }

    @Override
    public boolean await(Duration most) {
        return false;
    }

    @Override
    public void close() {}
}
