package dev.envelope.app.ops.recent;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Estimates which keys have the most messages: it counts the largest envelopes of each turn, and
 * halves the counts each minute.
 *
 * <p>Threads: guarded by this; a turn takes the lock once, for some microseconds.
 */
public final class HotKeys {

    private static final int OF_A_TURN = 8;
    private static final int MOST = 256;
    private static final double HALF_LIFE_NANOS = 60e9;

    private final Map<String, Double> weights = new HashMap<>();
    private long fadedAt;

    /**
     * A key, and roughly how many of its messages came in the last minutes.
     *
     * @param weight newer ones count for more
     */
    public record HotKey(String key, long weight) {}

    /** Counts a turn's largest envelopes. */
    public void worked(List<Envelope> envelopes, long now) {
        PriorityQueue<Envelope> largest =
                new PriorityQueue<>(Comparator.comparingInt(Envelope::size));
        for (Envelope envelope : envelopes) {
            Envelope least = largest.size() < OF_A_TURN ? null : largest.peek();
            if (!Message.isOfNoRow(envelope.key())
                    && (least == null || envelope.size() > least.size())) {
                largest.add(envelope);
                if (least != null) {
                    largest.remove();
                }
            }
        }
        synchronized (this) {
            fade(now);
            for (Envelope envelope : largest) {
                weights.merge(envelope.key(), (double) envelope.size(), Double::sum);
            }
            shrink();
        }
    }

    private void fade(long now) {
        double share = Math.pow(0.5, (now - fadedAt) / HALF_LIFE_NANOS);
        if (share < 0.98) {
            weights.replaceAll((key, weight) -> weight * share);
            weights.values().removeIf(weight -> weight < 0.5);
            fadedAt = now;
        }
    }

    private void shrink() {
        if (weights.size() > MOST) {
            double median =
                    weights.values().stream().sorted().skip(weights.size() / 2).findFirst().get();
            weights.values().removeIf(weight -> weight < median);
            if (weights.size() > MOST) { // most of them have the same weight
                weights.keySet().stream()
                        .sorted()
                        .skip(MOST)
                        .toList()
                        .forEach(weights.keySet()::remove);
            }
        }
    }

    /** The hottest first, at most so many. */
    public synchronized List<HotKey> hottest(int most, long now) {
        fade(now);
        return weights.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(most)
                .map(it -> new HotKey(it.getKey(), Math.round(it.getValue())))
                .toList();
    }
}
