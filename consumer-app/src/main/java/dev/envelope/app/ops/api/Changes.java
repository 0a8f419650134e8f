package dev.envelope.app.ops.api;

import dev.envelope.app.ops.recent.Timeline;
import io.javalin.http.Context;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where it is written down what callers have changed.
 *
 * <p>Threads: thread-safe (the timeline is).
 */
final class Changes {

    private static final Logger log = LoggerFactory.getLogger(Changes.class);

    private final Timeline timeline;

    Changes(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Who called, as it is told to others. */
    static String by(Context context) {
        return "http " + context.ip();
    }

    void note(String what, Context context) {
        log.warn("{} (by {})", what, by(context));
        timeline.add(Timeline.Kind.CHANGE, what);
    }
}
