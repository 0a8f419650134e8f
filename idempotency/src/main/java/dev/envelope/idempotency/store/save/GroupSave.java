package dev.envelope.idempotency.store.save;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves a turn's changes together, so that one row does not hold up the others: a group with a row
 * at fault is split down to that row, and locked rows are left out. The first save that meets a
 * lock waits for it a short while; the following saves wait for none.
 *
 * <p>Threads: thread-safe (an atomic; a lost update costs a little speed).
 */
public final class GroupSave {

    private static final Logger log = LoggerFactory.getLogger(GroupSave.class);

    /** How many saves wait for no lock after one that has met a lock. */
    private static final int WARY = 64;

    private final StateStore store;
    private final AtomicInteger wary = new AtomicInteger();

    public GroupSave(StateStore store) {
        this.store = store;
    }

    /** What became of each change, in the order given. */
    public List<Fate> save(List<Change> changes, Incarnation incarnation) {
        Fate[] fates = new Fate[changes.size()];
        if (!changes.isEmpty()) {
            boolean isWary = wary.get() > 0 && wary.decrementAndGet() >= 0;
            Patience patience = isWary ? Patience.SKIP : Patience.WAIT;
            new Attempt(changes, incarnation, fates).save(0, changes.size(), patience);
        }
        return new ArrayList<>(Arrays.asList(fates));
    }

    /** The same for changes whose rows are, or just were, locked: waits for no lock. */
    public List<Fate> saveAroundLocks(List<Change> changes, Incarnation incarnation) {
        Fate[] fates = new Fate[changes.size()];
        if (!changes.isEmpty()) {
            new Attempt(changes, incarnation, fates).save(0, changes.size(), Patience.SKIP);
        }
        return new ArrayList<>(Arrays.asList(fates));
    }

    /** Saves one change whose row is locked: waits for the lock, on a connection of its own. */
    public Fate saveAlone(Change change, Incarnation incarnation) {
        Fate[] fate = new Fate[1];
        new Attempt(List.of(change), incarnation, fate).save(0, 1, Patience.ALONE);
        if (fate[0] instanceof Fate.Locked) {
            // Rare: each line has taken the statement timeout, on the one connection.
            log.warn(
                    "another session has held the row of key {} for longer than a statement may"
                            + " take: it waits on, other keys go on",
                    Words.quote(change.key()));
        }
        return fate[0];
    }

    /** One call: finds the fates of its changes by saving them together or in parts. */
    private final class Attempt {

        private final List<Change> changes;
        private final Incarnation incarnation;
        private final Fate[] fates;

        Attempt(List<Change> changes, Incarnation incarnation, Fate[] fates) {
            this.changes = changes;
            this.incarnation = incarnation;
            this.fates = fates;
        }

        void save(int from, int to, Patience patience) {
            try {
                boolean[] saved = store.save(changes.subList(from, to), patience, incarnation);
                Fate otherwise =
                        patience == Patience.SKIP ? Fate.Locked.LOCKED : Fate.MovedOn.MOVED_ON;
                for (int i = from; i < to; i++) {
                    fates[i] = saved[i - from] ? Fate.Saved.SAVED : otherwise;
                }
            } catch (StoreException.RowLocked e) {
                wary.set(WARY);
                if (patience != Patience.WAIT) {
                    Arrays.fill(fates, from, to, Fate.Locked.LOCKED);
                } else {
                    save(from, to, Patience.SKIP);
                }
            } catch (StoreException.RowFault e) {
                split(from, to, patience, e);
            } catch (UnavailableException e) {
                Arrays.fill(fates, from, to, new Fate.Unknown(e));
            }
        }

        private void split(int from, int to, Patience patience, StoreException.RowFault fault) {
            if (to - from == 1) {
                fates[from] = new Fate.Faulty(fault);
                return;
            }
            int middle = (from + to) >>> 1;
            save(from, middle, patience);
            if (fates[from] instanceof Fate.Unknown) {
                Arrays.fill(fates, middle, to, fates[from]); // the other half would fail, too
            } else {
                save(middle, to, patience);
            }
        }
    }
}
