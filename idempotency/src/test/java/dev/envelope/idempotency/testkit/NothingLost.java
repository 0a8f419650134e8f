package dev.envelope.idempotency.testkit;

import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;

/** Promise 1: every record is applied, parked, or skipped because its event was applied. */
public final class NothingLost implements Guarantee {

    private final Set<Place> applied = new HashSet<>();
    private final Set<Place> parked = new HashSet<>();

    @Override
    public void see(Evidence evidence, Log log, Findings findings) {
        if (evidence instanceof Evidence.Saved saved) {
            for (Place place : saved.applied()) {
                applied.add(place);
                if (log.find(place) == null) {
                    String who = saved.instance() + "#" + saved.epoch();
                    findings.add(
                            Anomaly.ABORTED_APPLY,
                            place + " to " + saved.key() + " by " + who + ": not in the log");
                }
            }
        } else if (evidence instanceof Evidence.Parked it) {
            parked.add(it.place());
            LogRecord record = log.find(it.place());
            if (record == null || record.expected() != LogRecord.Expected.PARKED) {
                findings.add(Anomaly.WRONG_PARK, it.place() + " was parked: " + record);
            }
        }
    }

    @Override
    public void conclude(Log log, Findings findings) {
        for (NavigableMap<Long, LogRecord> source : log.sources()) {
            for (LogRecord record : source.values()) {
                boolean isThere =
                        switch (record.expected()) {
                            case APPLIED -> applied.contains(record.place());
                            case PARKED -> parked.contains(record.place());
                            case SKIPPED -> true;
                        };
                if (!isThere) {
                    findings.add(Anomaly.LOST_APPLY, "nothing became of " + record);
                }
            }
        }
    }
}
