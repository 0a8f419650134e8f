package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.table.TableRow;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Marks that advance with every message, without an object for each. Messages that are rows of a
 * table have no mark: they are done with their rows.
 *
 * <p>Threads: one thread.
 */
public final class RunningMarks {

    private Marks settled;
    private @Nullable Message last;
    private @Nullable Set<String> rows; // that are done; null while there are none

    public RunningMarks(Marks from) {
        settled = from;
    }

    public Verdict judge(Message message) {
        Message before = last;
        boolean isBehind =
                before != null
                        && before.epoch().source() == message.epoch().source()
                        && before.offset() >= message.offset();
        return isBehind ? Verdict.DUPLICATE : settled.judge(message);
    }

    /** Whether a row was passed. */
    public boolean hasPassed(String row) {
        return rows != null && rows.contains(row);
    }

    /** The message is accounted for. */
    public void passed(Message message) {
        @Nullable String row = TableRow.idOf(message);
        if (row != null) {
            Set<String> done = rows == null ? new LinkedHashSet<>() : rows;
            done.add(row);
            rows = done;
            return;
        }
        Message before = last;
        if (before != null && before.epoch().source() != message.epoch().source()) {
            settled = now();
        }
        last = message;
    }

    public Marks now() {
        Message before = last;
        return before == null ? settled : settled.advance(before.epoch().source(), before.next());
    }

    /** The rows that were passed. */
    public List<String> rowsDone() {
        return rows == null ? List.of() : List.copyOf(rows);
    }
}
