package dev.envelope.idempotency.limit;

import dev.envelope.core.api.PartitionEpoch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The share of recent messages that have failed for good, of each partition since it was
 * positioned.
 *
 * <p>Threads: thread-safe (a concurrent map of thread-safe shares).
 */
public final class FailingShares {

    private final int percent;
    private final int least;
    private final Map<Integer, OfEpoch> bySource = new ConcurrentHashMap<>();

    private record OfEpoch(long epoch, FailingShare share) {}

    /**
     * @param percent of a partition's recent messages that may fail for good; 100 is no limit
     * @param least over how many of the last failures the share is measured
     */
    public FailingShares(int percent, int least) {
        this.percent = percent;
        this.least = least;
    }

    /** No limit. */
    public static FailingShares any() {
        return new FailingShares(100, 1);
    }

    /** Messages have been handled that did not fail. */
    public void passed(PartitionEpoch epoch, int messages) {
        of(epoch).passed(messages);
    }

    /** A message has failed for good. */
    public void failed(PartitionEpoch epoch) {
        of(epoch).failed();
    }

    /** The reason to stop the partition; empty while its share is not too high. */
    public String tooHigh(PartitionEpoch epoch) {
        return of(epoch).tooHigh();
    }

    private FailingShare of(PartitionEpoch epoch) {
        OfEpoch known = bySource.get(epoch.source());
        if (known != null && known.epoch >= epoch.number()) {
            return known.share;
        }
        return bySource.merge(
                        epoch.source(),
                        new OfEpoch(epoch.number(), new FailingShare(percent, least)),
                        (one, other) -> one.epoch >= other.epoch ? one : other)
                .share;
    }
}
