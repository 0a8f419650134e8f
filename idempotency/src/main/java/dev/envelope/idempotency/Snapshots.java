package dev.envelope.idempotency;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.cache.NewKeyGuess;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.SavedBeside;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives works the snapshots that they start from: cached, guessed to be new, or loaded. What was
 * saved or loaded is cached for the next turn; what turned out to be stale is removed.
 *
 * <p>Threads: thread-safe; a key belongs to the turn that has its envelope.
 *
 * @param <S> the state of a key
 */
final class Snapshots<S> {

    /** Beyond that all of them are forgotten, which costs a turn at most. */
    private static final int MOST_DOUBTFUL = 1_000;

    private final StateStore store;
    private final SnapshotCache<S> cache;
    private final Telemetry telemetry;
    private final NewKeyGuess guess = new NewKeyGuess();
    private final PurgedKeys purged = new PurgedKeys();

    /**
     * Keys whose rows are not guessed. What starts over may have to wait for a later turn; if it
     * was guessed again there, it might start over in each turn for ever.
     */
    private final Set<String> doubtful = ConcurrentHashMap.newKeySet();

    Snapshots(StateStore store, SnapshotCache<S> cache, Telemetry telemetry) {
        this.store = store;
        this.cache = cache;
        this.telemetry = telemetry;
    }

    SnapshotCache<S> cache() {
        return cache;
    }

    /** Gives each work its snapshot. Works whose rows don't fit into the turn are deferred. */
    void load(List<Work<S>> open, Incarnation life, Turn turn) {
        Map<String, Work<S>> missing = new LinkedHashMap<>(); // in the turn's order
        boolean guesses = guess.isOn();
        int cached = 0;
        int guessed = 0;
        for (Work<S> work : open) {
            if (work.needsSnapshot()) {
                SnapshotCache.Hit<S> hit = cache.take(work.key(), work.epoch().number());
                if (hit != null && work.mayStartFromCached(hit.snapshot())) {
                    work.startFromCached(hit.snapshot(), hit.live());
                    cached++;
                } else if (guesses && work.mayGuess() && !doubtful.contains(work.key())) {
                    work.guessThatItIsNew();
                    guessed++;
                } else {
                    missing.put(work.key(), work);
                }
            }
        }
        telemetry.looked(cached, guessed, missing.size());
        if (!missing.isEmpty()) {
            load(missing, life, turn);
            open.removeIf(Work::needsSnapshot);
        }
        readBeside(open, life);
    }

    /** Timers whose time has come and commands that were applied. */
    private void readBeside(List<Work<S>> open, Incarnation life) {
        List<Work<S>> asking = new ArrayList<>(0);
        for (Work<S> work : open) {
            if (work.needsBeside()) {
                asking.add(work);
            }
        }
        if (!asking.isEmpty()) {
            Map<String, SavedBeside> read =
                    SavedBeside.read(asking.stream().map(Work::envelope).toList(), store, life);
            asking.forEach(work -> work.have(read));
        }
    }

    private void load(Map<String, Work<S>> missing, Incarnation life, Turn turn) {
        Map<String, Snapshot> rows = store.load(missing.keySet(), life);
        int found = 0;
        for (Work<S> work : missing.values()) {
            String key = work.key();
            Snapshot row = rows.getOrDefault(key, Snapshot.absent(key));
            if (row.isLeftOut()) { // the turn is too large: this envelope comes again
                turn.settle(work.place(), Outcome.Deferred.NOT_BEGUN);
                continue;
            }
            Message left = work.startFromLoaded(row);
            if (left != null) {
                purged.leftOut(left);
            }
            found += work.snapshot().isAbsent() ? 0 : 1;
        }
        guess.observed(missing.size(), found);
    }

    /** Removes a key whose cached row may be stale. */
    void forget(String key) {
        cache.forget(key);
        if (doubtful.size() >= MOST_DOUBTFUL) {
            doubtful.clear();
        }
        doubtful.add(key);
    }

    /** Records whether a guessed key had a row, that is, whether the guess was wrong. */
    void guessed(boolean hadRow) {
        guess.observed(1, hadRow ? 1 : 0);
    }

    /** Caches what was saved. */
    void saved(Work<S> work, Change change) {
        if (work.isGuessed()) {
            cache.putIfRoomy(change.asSaved(), work.state(), work.epoch().number());
        } else if (!change.isWithoutRow()) {
            cache.put(change.asSaved(), work.state(), work.epoch().number());
        }
    }

    /**
     * All messages were duplicates: the loaded row is cached for the next ones. A row without a
     * state is not: it was not written just now, so it may be purged at any moment. Nor is one that
     * came from the cache: it would never expire there.
     */
    void unchanged(Work<S> work) {
        if (work.isConfirmed() && work.snapshot().state() != null) {
            cache.put(work.snapshot(), work.state(), work.epoch().number());
        }
    }
}
