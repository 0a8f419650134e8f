package dev.envelope.app.ops.live;

import dev.envelope.app.ops.Meters;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Timeline;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the process every some seconds: takes the samples, and writes down when it became ready
 * or ceased to be.
 *
 * <p>Threads: one of its own.
 */
public final class Watch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Watch.class);

    private final Supplier<ProcessStatus> status;
    private final Meters meters;
    private final History history;
    private final Timeline timeline;
    private final Clock clock;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(Watch::daemon);
    private List<String> reasons = List.of(); // of its thread, as is the next
    private boolean wasReady;

    /** One that has not begun. */
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
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "envelope-watch");
        thread.setDaemon(true);
        return thread;
    }

    /** Begins. */
    public Watch begin() {
        long every = History.EVERY.toMillis();
        var unused = thread.scheduleAtFixedRate(this::look, 0, every, TimeUnit.MILLISECONDS);
        return this;
    }

    private void look() {
        try {
            ProcessStatus now = status.get();
            history.sample(clock.instant(), System.nanoTime(), now, meters.takeRecent());
            told(now.notReadyBecause());
        } catch (RuntimeException e) { // it would be the last that the timer calls
            log.warn("no sample was taken", e);
        }
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
        thread.shutdownNow();
    }
}
