package dev.envelope.idempotency.store.place;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.place.KnownSources.AtHome;
import dev.envelope.idempotency.store.row.RowReads;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The rows of one slot for callers outside. How far a log is durable is said by the slot itself, as
 * of the moment of its rows. A log that does not feed the slot has nothing there: of that, home's
 * word counts that was there before the rows were read.
 *
 * <p>Threads: thread-safe (its parts are).
 */
final class DividedReads implements RowReads {

    private final int slot;
    private final Places places;
    private final Reachable reachable;
    private final KnownSources known;

    DividedReads(int slot, Places places, Reachable reachable, KnownSources known) {
        this.slot = slot;
        this.places = places;
        this.reachable = reachable;
        this.known = known;
    }

    private RowReads rows() {
        return places.slots().get(slot).reads();
    }

    @Override
    public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
        AtHome home = known.learnt();
        Look look = places.ask(slot, reachable, () -> rows().read(keys, logs, mostBytes));
        if (slot == Places.HOME) {
            return look;
        }
        Map<Log, Progress> all = new HashMap<>(look.logs());
        for (Log log : logs) {
            home.progress(log).ifPresent(its -> complete(all, log, its));
        }
        return new Look(look.rows(), all);
    }

    private void complete(Map<Log, Progress> all, Log log, Progress atHome) {
        Progress here = all.get(log);
        if (here == null || here.source() < atHome.source()) { // or only a former generation
            if (known.feeds(atHome.source(), slot)) { // a slot that has lost it has lost rows, too
                all.remove(log);
            } else {
                all.put(log, atHome);
            }
        } else if (atHome.isFormer()) {
            all.put(log, new Progress(here.source(), here.checkpoint(), true));
        }
    }

    @Override
    public Map<String, Marks> marks(Collection<String> keys) {
        return places.ask(slot, reachable, () -> rows().marks(keys));
    }
}
