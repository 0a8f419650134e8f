package dev.envelope.idempotency;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory in which other sessions lock rows and change them meanwhile, and whose replies
 * get lost.
 *
 * <p>Threads: one thread.
 */
final class ScriptedStore implements StateStore {

    private final StateStore inner;
    private final Queue<Runnable> beforeSaves = new ArrayDeque<>();
    private final Set<String> locked = new HashSet<>();
    private final Set<String> leftOut = new HashSet<>();
    private final List<Set<String>> loads = new ArrayList<>();
    private final List<Set<String>> saves = new ArrayList<>();
    private final List<Patience> ways = new ArrayList<>();
    private Predicate<Change> fault = change -> false;
    private @Nullable RuntimeException loadFailure;
    private @Nullable RuntimeException lostReply;

    ScriptedStore(InMemoryDatabase database) {
        inner = new InMemoryStateStore(database);
    }

    /** Happens right before a save to come; one save for each call. */
    void beforeSave(Runnable meanwhile) {
        beforeSaves.add(meanwhile);
    }

    /** The next load of it has brought enough without it. */
    void leaveOut(String key) {
        leftOut.add(key);
    }

    /** Another session holds the row's lock. */
    void lock(String key) {
        locked.add(key);
    }

    void unlock(String key) {
        locked.remove(key);
    }

    /** Rows that the database can't store. */
    void faultIn(Predicate<Change> rows) {
        fault = rows;
    }

    /** From now on loads fail; null for success. */
    void failLoads(@Nullable RuntimeException with) {
        loadFailure = with;
    }

    /** The next save is done, and nobody gets to know. */
    void loseNextReply(RuntimeException with) {
        lostReply = with;
    }

    /** The keys that were loaded, call by call. */
    List<Set<String>> loads() {
        return loads;
    }

    /** The keys that were to be saved, call by call. */
    List<Set<String>> saves() {
        return saves;
    }

    List<Patience> ways() {
        return ways;
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        loads.add(new LinkedHashSet<>(keys));
        if (loadFailure != null) {
            throw loadFailure;
        }
        Map<String, Snapshot> rows = new HashMap<>(inner.load(keys, incarnation));
        keys.stream().filter(leftOut::remove).forEach(it -> rows.put(it, Snapshot.leftOut(it)));
        return rows;
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        return inner.dueTimers(timers, incarnation);
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return inner.waiting(rowIds, incarnation);
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        return inner.appliedCommands(commands, incarnation);
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        if (Thread.currentThread().isInterrupted()) {
            throw new UnavailableException("interrupted while waiting for a connection");
        }
        saves.add(new TreeSet<>(changes.stream().map(Change::key).toList()));
        ways.add(patience);
        Runnable meanwhile = beforeSaves.poll();
        if (meanwhile != null) {
            meanwhile.run();
        }
        boolean meetsLock = changes.stream().anyMatch(it -> locked.contains(it.key()));
        if (meetsLock && patience != Patience.SKIP) {
            throw new StoreException.RowLocked("lock timeout", new SQLException("55P03"));
        }
        List<Change> free = changes.stream().filter(it -> !locked.contains(it.key())).toList();
        if (free.stream().anyMatch(fault)) {
            throw new StoreException.RowFault("can't be stored", new SQLException("22"));
        }
        boolean[] ofFree = inner.save(free, patience, incarnation);
        RuntimeException lost = lostReply;
        if (lost != null) {
            lostReply = null;
            throw lost;
        }
        boolean[] saved = new boolean[changes.size()];
        for (int i = 0, at = 0; i < saved.length; i++) {
            saved[i] = !locked.contains(changes.get(i).key()) && ofFree[at++];
        }
        return saved;
    }
}
