package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import java.util.List;

/** The outputs of processes that read topics, as the checks of their world see them. */
record RowOutputs(World world) implements OutputWatch {

    @Override
    public List<SavedOutput> saved() {
        return world.database().outputs();
    }

    @Override
    public void deleted(List<SavedOutput> before) {
        world.checks().outputs().deleted(before);
    }

    @Override
    public void measured(SimProcess process, Waiting waiting) {
        world.checks().outputs().measured(process, waiting);
    }

    @Override
    public void sentBy(SimProcess process) {
        world.checks().outputs().sentBy(process);
    }

    @Override
    public void mayRepeat() {
        world.checks().outputs().mayRepeat();
    }

    @Override
    public void look() {
        world.timers().look();
        world.checks().outputs().look();
    }
}
