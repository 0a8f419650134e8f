package dev.envelope.idempotency.store.table;

import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows are messages. What it gives is what is not done: a row may become visible
 * behind others that are done long since, and is not left out.
 *
 * <p>Threads: one thread; may block, within its own timeouts; throws {@link UnavailableException}.
 */
public interface TableStore extends AutoCloseable {

    /** How many numbers {@link #numbers} reserves. */
    long NUMBERS = 1_000_000_000;

    /** A part of the rows: those whose key has this remainder. */
    record Part(int slot, int slots) {}

    /** How much is read at once, of at least one row. */
    record Most(int rows, long bytes) {}

    /**
     * Rows that are not done.
     *
     * @param rows ordered by key and id
     * @param isLast whether there were no more behind them
     */
    record Page(List<TableRow> rows, boolean isLast) {}

    /** The table. */
    TableSettings settings();

    /** Reads a page of a part, behind a place, or from the first row on. */
    Page read(Part part, TableRow.@Nullable Place behind, Most most);

    /** How many rows of a part are not done; counted up to a limit. */
    long count(Part part, long limit);

    /** The first of numbers that nobody else gets; greater than any before. */
    long numbers();

    /**
     * Waits until the database tells of new rows.
     *
     * @return whether it has; false at once where it does not tell
     */
    boolean await(Duration most);

    @Override
    void close();
}
