package dev.envelope.idempotency.testkit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Promise 1, at every moment: whatever is below a commit is durable before the commit (I1, I2), and
 * within an epoch commits do not go back (I9).
 */
public final class CommitNotAheadOfAck implements Guarantee {

    private record Lane(String key, int source) {}

    private record Owner(int source, String instance, long epoch) {}

    private final Map<Lane, Long> marks = new HashMap<>();
    private final Set<Place> parked = new HashSet<>();
    private final Map<Integer, Long> foundDurable = new HashMap<>();
    private final Map<Owner, Long> committed = new HashMap<>();

    @Override
    public void see(Evidence evidence, Log log, Findings findings) {
        if (evidence instanceof Evidence.Saved saved) {
            saved.marks()
                    .forEach(
                            (source, next) ->
                                    marks.merge(new Lane(saved.key(), source), next, Math::max));
        } else if (evidence instanceof Evidence.Parked it) {
            parked.add(it.place());
        } else if (evidence instanceof Evidence.Committed commit) {
            long from = foundDurable.getOrDefault(commit.source(), 0L);
            check(commit, from, log, this::isDurable, findings);
            foundDurable.merge(commit.source(), commit.next(), Math::max);
            Owner owner = new Owner(commit.source(), commit.instance(), commit.epoch());
            @Nullable Long before = committed.put(owner, commit.next());
            if (before != null && commit.next() < before) {
                findings.add(Anomaly.COMMIT_REWIND, commit + " after " + before);
            }
        }
    }

    private boolean isDurable(LogRecord record) {
        Place place = record.place();
        @Nullable String key = record.key();
        return parked.contains(place)
                || (key != null
                        && marks.getOrDefault(new Lane(key, place.source()), 0L) > place.offset());
    }

    /**
     * For a moment that was looked at from outside: Kafka's commit first, then what is durable.
     *
     * @param from where to begin looking
     */
    public static void check(
            Evidence.Committed commit,
            long from,
            Log log,
            Predicate<LogRecord> isDurable,
            Findings findings) {
        if (from >= commit.next()) {
            return;
        }
        for (LogRecord record : log.source(commit.source()).subMap(from, commit.next()).values()) {
            if (!isDurable.test(record)) {
                findings.add(Anomaly.COMMIT_AHEAD, commit + ", but not durable: " + record);
                return;
            }
        }
    }
}
