package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.InMemoryOutputStore;
import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.output.OutputStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The outputs and relays as one process sees them, over the same network as its rows.
 *
 * <p>Threads: one thread.
 */
final class SimOutputStore implements OutputStore {

    private final SimNetwork network;
    private final InMemoryOutputStore store;
    private final SimProcess owner;
    private final Scene world;
    private final OutputWatch watch;

    SimOutputStore(
            SimNetwork network,
            InMemoryOutputStore store,
            SimProcess owner,
            Scene world,
            OutputWatch watch) {
        this.network = network;
        this.store = store;
        this.owner = owner;
        this.world = world;
        this.watch = watch;
    }

    /** What may delete rows. */
    private <T> T deleting(Supplier<T> work) {
        return ask(
                () -> {
                    List<SavedOutput> before = watch.saved();
                    T result = work.get();
                    watch.deleted(before);
                    return result;
                });
    }

    /**
     * Once nothing is wrong any more, it is answered at once. Whoever blocks goes on only after
     * those that have blocked since, and while a relay blocks, what waits for room waits too.
     */
    private <T> T ask(Supplier<T> work) {
        if (!world.faults().areOver()) {
            return network.call(work);
        }
        owner.gate();
        return work.get();
    }

    private void call(Runnable work) {
        ask(
                () -> {
                    work.run();
                    return true;
                });
    }

    private static Duration shorter(Duration silence) {
        return silence.dividedBy(OutputTopics.SHORTER);
    }

    @Override
    public Own register() {
        return ask(store::register);
    }

    @Override
    public boolean under(Own own, List<String> ids) {
        return ask(() -> store.under(own, ids));
    }

    @Override
    public void alive(Own own) {
        call(() -> store.alive(own));
    }

    @Override
    public void leave(Own own) {
        call(() -> store.leave(own));
    }

    @Override
    public List<Row> next(Own own, Collection<Place> without, int mostOutputs, long maxBytes) {
        return ask(() -> store.next(own, without, mostOutputs, maxBytes));
    }

    @Override
    public Before before(
            Own own, long position, Collection<Place> known, Collection<Integer> lanes) {
        return ask(() -> store.before(own, position, known, lanes));
    }

    @Override
    public boolean open(Own own, Collection<Place> sent, SortedSet<Place> next) {
        return deleting(() -> store.open(own, sent, next));
    }

    @Override
    public boolean close(Own own, Collection<Place> sent) {
        return deleting(() -> store.close(own, sent));
    }

    @Override
    public void sent(Own own, Collection<Place> rows) {
        deleting(
                () -> {
                    store.sent(own, rows);
                    return true;
                });
    }

    @Override
    public void split(Own own, Row row, Collection<Integer> held, @Nullable String refused) {
        deleting(
                () -> {
                    store.split(own, row, held, refused);
                    return true;
                });
    }

    @Override
    public List<Refused> refused(Own own, Place after, int most) {
        return ask(() -> store.refused(own, after, most));
    }

    @Override
    public void refusedAgain(Own own, Place place, String why) {
        call(() -> store.refusedAgain(own, place, why));
    }

    @Override
    public Optional<Own> look(Own own) {
        return ask(() -> store.look(own));
    }

    @Override
    public List<Gone> gone(Own own, Duration silence) {
        return ask(() -> store.gone(own, shorter(silence)));
    }

    @Override
    public boolean takeOver(Own own, Gone gone, long committed, Duration silence) {
        return deleting(
                () -> {
                    boolean done = store.takeOver(own, gone, committed, shorter(silence));
                    if (done && gone.number() > 0) {
                        world.faults().landed(Fault.OUTPUTS_TAKEN_OVER);
                    }
                    return done;
                });
    }

    @Override
    public Optional<Own> resolved(Own own, long committed) {
        return deleting(() -> store.resolved(own, committed));
    }

    @Override
    public Waiting depth(int most) {
        Waiting waiting = ask(() -> store.depth(most));
        watch.measured(owner, waiting);
        return waiting;
    }

    /** The number that a save of the process writes on what it puts out. */
    int numberIn(Incarnation life) {
        return store.numberIn(life);
    }
}
