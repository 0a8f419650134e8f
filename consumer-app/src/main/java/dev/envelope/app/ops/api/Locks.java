package dev.envelope.app.ops.api;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.Said;
import dev.envelope.core.api.Doing;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.status.Holdup;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog.Holder;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Names the database sessions that hold the locks which keys wait for. The text of their queries is
 * not shown, since it may contain data that not every caller may read.
 */
final class Locks {

    /** The most keys whose locks are looked up. */
    private static final int MOST_KEYS = 3;

    private Locks() {}

    /** A sentence for each lock whose holder is known. */
    static List<String> sentences(Rows rows, ProcessStatus status, List<Holdup> holdups) {
        List<String> keys =
                holdups.stream()
                        .filter(it -> it.standing().doing() == Doing.LOCKED)
                        .map(it -> it.message().key())
                        .distinct()
                        .limit(MOST_KEYS)
                        .toList();
        if (keys.isEmpty() && status.engine().storeReachable()) {
            return List.of();
        }
        List<String> sentences = new ArrayList<>();
        try {
            for (String key : keys) {
                String row = "the row of key " + Words.quote(key);
                add(row, rows.look(OperatorStore::locks, it -> it.ofRow(key)), sentences);
            }
            if (!status.engine().storeReachable()) {
                String table = "the whole table state";
                add(table, rows.look(OperatorStore::locks, LockCatalog::ofTable), sentences);
            }
        } catch (UnavailableException e) {
            return sentences; // then the database is what is told of
        }
        return sentences;
    }

    private static void add(String what, List<Holder> holders, List<String> to) {
        if (!holders.isEmpty()) {
            String who = holders.stream().map(Locks::words).collect(Collectors.joining("; "));
            to.add(
                    ("a lock on %s is held by %s (what it does: select query from pg_stat_activity"
                                    + " where pid = %d; to end it: select pg_terminate_backend(%3$d))")
                            .formatted(what, who, holders.get(0).pid()));
        }
    }

    private static String words(Holder holder) {
        String application = Words.line(holder.application());
        return "pid %d, user %s%s, %s in a transaction of %s"
                .formatted(
                        holder.pid(),
                        holder.user(),
                        application.isEmpty() ? "" : " (" + application + ")",
                        holder.state().isEmpty() ? "at work" : holder.state(),
                        Said.of(holder.since()));
    }
}
