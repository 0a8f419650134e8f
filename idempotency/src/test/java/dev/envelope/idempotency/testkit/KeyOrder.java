package dev.envelope.idempotency.testkit;

import java.util.HashMap;
import java.util.Map;

/** Promise 3: the effects of a key and source enter in the order of the log, without a gap (I4). */
public final class KeyOrder implements Guarantee {

    private record Lane(String key, int source) {}

    private final Map<Lane, Long> nextOffsets = new HashMap<>();

    @Override
    public void see(Evidence evidence, Log log, Findings findings) {
        if (evidence instanceof Evidence.Saved saved) {
            for (Place place : saved.applied()) {
                follow(saved, place, log, findings);
            }
        }
    }

    private void follow(Evidence.Saved saved, Place place, Log log, Findings findings) {
        Lane lane = new Lane(saved.key(), place.source());
        long from = nextOffsets.getOrDefault(lane, 0L);
        if (place.offset() < from) {
            return; // a second time, or a gap that was reported when it was left
        }
        LogRecord due = log.nextToApply(saved.key(), place.source(), from);
        if (due != null && due.place().offset() < place.offset()) {
            findings.add(
                    Anomaly.REORDER,
                    "%s to %s before %s by %s#%d"
                            .formatted(
                                    place,
                                    saved.key(),
                                    due.place(),
                                    saved.instance(),
                                    saved.epoch()));
        }
        nextOffsets.put(lane, place.offset() + 1);
    }
}
