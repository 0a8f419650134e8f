package dev.envelope.app.ops.live;

import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.Recurring;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/**
 * Samples the status every few seconds, and records in the timeline when the process becomes ready
 * or stops being ready.
 *
 * <p>Threads: one of its own.
 */
public final class Watch implements AutoCloseable {

    private final Supplier<ProcessStatus> status;
    private final Meters meters;
    private final History history;
    private final Timeline timeline;
    private final Clock clock;
    private final Recurring looks;
    private List<String> reasons = List.of(); // only its thread's, as is the next field
    private boolean wasReady;

    /** Starts the thread. */
    public Watch(
            Supplier<ProcessStatus> status,
            Meters meters,
            History history,
            Timeline timeline,
            Clock clock) {
        this.status = status;
        this.meters = meters;
        this.history = history;
        this.timeline = timeline;
        this.clock = clock;
        look();
        this.looks = Recurring.start("watch", History.EVERY, this::look);
    }

    private boolean look() {
        ProcessStatus now = status.get();
        history.sample(clock.instant(), System.nanoTime(), now, meters.takeRecent());
        told(now.notReadyBecause());
        return false;
    }

    private void told(List<String> now) {
        if (now.isEmpty() && (!reasons.isEmpty() || !wasReady)) {
            timeline.add(Timeline.Kind.STATE, "ready");
            wasReady = true;
        }
        if (wasReady) { // not being ready during a start is no outage
            now.stream()
                    .filter(reason -> !reasons.contains(reason))
                    .forEach(reason -> timeline.add(Timeline.Kind.OUTAGE, "not ready: " + reason));
        }
        reasons = now;
    }

    @Override
    public void close() {
        looks.close();
    }
}
