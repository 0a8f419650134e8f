package dev.envelope.app.ops.live;

import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.Recurring;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/**
 * Looks at the process every some seconds: takes the samples, and writes down when it became ready
 * or ceased to be.
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
    private List<String> reasons = List.of(); // of its thread, as is the next
    private boolean wasReady;

    /** Begins. */
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
        if (wasReady) { // a start is no outage
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
