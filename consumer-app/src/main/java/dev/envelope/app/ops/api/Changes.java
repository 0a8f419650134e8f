package dev.envelope.app.ops.api;

import dev.envelope.app.http.Call;
import dev.envelope.app.ops.recent.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what callers have changed, in the log and in the timeline.
 *
 * <p>Threads: thread-safe (the timeline is).
 */
final class Changes {

    private static final Logger log = LoggerFactory.getLogger(Changes.class);

    private final Timeline timeline;

    Changes(Timeline timeline) {
        this.timeline = timeline;
    }

    void note(String what, Call call) {
        log.warn("{} (by {})", what, call.by());
        timeline.add(Timeline.Kind.CHANGE, what);
    }
}
