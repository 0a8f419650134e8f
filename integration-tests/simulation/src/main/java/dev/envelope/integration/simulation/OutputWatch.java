package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import java.util.List;

/**
 * Who sees what becomes of outputs: where they are saved, on their way, and where they arrive.
 *
 * <p>Threads: one thread.
 */
interface OutputWatch {

    /** What is saved and waits. */
    List<SavedOutput> saved();

    /** Some of what there was before may have been deleted. */
    void deleted(List<SavedOutput> before);

    /** A process has looked how many wait. */
    void measured(SimProcess process, Waiting waiting);

    /** It knows that some have gone. */
    void sentBy(SimProcess process);

    /** What was sent before this may be sent again after it. */
    void mayRepeat();

    /** Looks at what was written and what was decided since. Called after each write. */
    void look();
}
