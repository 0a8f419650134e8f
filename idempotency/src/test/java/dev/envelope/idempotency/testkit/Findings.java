package dev.envelope.idempotency.testkit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The anomalies that were found: all counted, the first of each kind kept in words.
 *
 * <p>Threads: guarded by this.
 */
public final class Findings {

    private static final int KEPT = 10;

    private final Map<Anomaly, List<String>> examples = new EnumMap<>(Anomaly.class);
    private final Map<Anomaly, Integer> counts = new EnumMap<>(Anomaly.class);

    /** One more. */
    public synchronized void add(Anomaly anomaly, String what) {
        counts.merge(anomaly, 1, Integer::sum);
        List<String> kept = examples.computeIfAbsent(anomaly, it -> new ArrayList<>());
        if (kept.size() < KEPT) {
            kept.add(what);
        }
    }

    /** The kinds that were found. */
    public synchronized Set<Anomaly> kinds() {
        return counts.isEmpty() ? EnumSet.noneOf(Anomaly.class) : EnumSet.copyOf(counts.keySet());
    }

    public synchronized int count(Anomaly anomaly) {
        return counts.getOrDefault(anomaly, 0);
    }

    public synchronized boolean isEmpty() {
        return counts.isEmpty();
    }

    /** One line per kind with its count, and its first examples below it; empty without any. */
    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach(
                (anomaly, count) -> {
                    text.append(anomaly).append(": ").append(count).append('\n');
                    examples.getOrDefault(anomaly, List.of())
                            .forEach(what -> text.append("  ").append(what).append('\n'));
                });
        return text.toString();
    }
}
