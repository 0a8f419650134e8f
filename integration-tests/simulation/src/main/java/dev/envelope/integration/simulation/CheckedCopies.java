package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.SourceCopies;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * The sources of a slot, with a look at what it is told: what is below the checkpoint of a source
 * that is new to it is done there, too, or is of other slots.
 *
 * <p>Threads: one thread.
 */
record CheckedCopies(SourceCopies sources, World world, int slot, Runnable requireHere)
        implements SourceCopies {

    @Override
    public Map<Integer, SortedSet<Integer>> fed() {
        requireHere.run();
        return sources.fed();
    }

    @Override
    public void feeds(int source, int to) {
        requireHere.run();
        sources.feeds(source, to);
    }

    @Override
    public List<Copy> all() {
        requireHere.run();
        return sources.all();
    }

    @Override
    public void copy(Copy source, NextOffset checkpoint) {
        requireHere.run();
        boolean isNew = world.database().checkpoint(slot, source.number()) == null;
        sources.copy(source, checkpoint);
        if (isNew) {
            world.faults().landed(Fault.INTRODUCED);
            for (Source its : world.database().slot(slot).sources()) {
                if (its.number() == source.number()) {
                    world.checks().progress().introduced(slot, its, checkpoint);
                }
            }
        }
    }

    @Override
    public void giveNoNumberUpTo(int number) {
        requireHere.run();
        sources.giveNoNumberUpTo(number);
    }
}
