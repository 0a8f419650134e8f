package dev.envelope.idempotency.testkit;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Promise 3, as saved: each save of a row starts from the one before it, and no mark goes back
 * (I5).
 */
public final class OneAtATime implements Guarantee {

    private final Map<String, Evidence.Saved> last = new HashMap<>();

    @Override
    public void see(Evidence evidence, Log log, Findings findings) {
        if (!(evidence instanceof Evidence.Saved saved)) {
            return;
        }
        Evidence.@Nullable Saved before = last.put(saved.key(), saved);
        long expected = before == null ? 1 : before.version() + 1;
        if (saved.version() != expected) {
            findings.add(
                    Anomaly.ZOMBIE_WRITE,
                    "version %d of %s by %s#%d, where %d was next"
                            .formatted(
                                    saved.version(),
                                    saved.key(),
                                    saved.instance(),
                                    saved.epoch(),
                                    expected));
        }
        if (before != null) {
            before.marks().forEach((source, mark) -> compare(saved, source, mark, findings));
        }
        for (Place place : saved.applied()) {
            if (saved.marks().getOrDefault(place.source(), 0L) <= place.offset()) {
                findings.add(
                        Anomaly.TORN_ENVELOPE,
                        place + " is in the state of " + saved.key() + ", not in " + saved.marks());
            }
        }
    }

    private static void compare(
            Evidence.Saved saved, int source, long markBefore, Findings findings) {
        long mark = saved.marks().getOrDefault(source, 0L);
        if (mark < markBefore) {
            findings.add(
                    Anomaly.NON_MONOTONIC,
                    "mark of %s for source %d from %d to %d by %s#%d"
                            .formatted(
                                    saved.key(),
                                    source,
                                    markBefore,
                                    mark,
                                    saved.instance(),
                                    saved.epoch()));
        }
    }
}
