package dev.envelope.idempotency.testkit;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Promise 2: no message's effect is there twice, and none of a producer's duplicate either. */
public final class EffectOnce implements Guarantee {

    private record Event(String key, String id) {}

    private final Map<Place, String> placeAppliedBy = new HashMap<>();
    private final Map<Event, Place> eventAppliedAt = new HashMap<>();

    @Override
    public void see(Evidence evidence, Log log, Findings findings) {
        if (!(evidence instanceof Evidence.Saved saved)) {
            return;
        }
        String who = saved.instance() + "#" + saved.epoch() + " version " + saved.version();
        for (Place place : saved.applied()) {
            @Nullable String before = placeAppliedBy.put(place, who);
            if (before != null) {
                findings.add(
                        Anomaly.DUPLICATE_APPLY,
                        place + " to " + saved.key() + " by " + before + " and by " + who);
                continue;
            }
            LogRecord record = log.find(place);
            if (record != null) {
                @Nullable Place first =
                        eventAppliedAt.putIfAbsent(new Event(saved.key(), record.event()), place);
                if (first != null) {
                    findings.add(
                            Anomaly.DUPLICATE_APPLY,
                            record.event() + " at " + first + " and at " + place + " by " + who);
                }
            }
        }
    }
}
