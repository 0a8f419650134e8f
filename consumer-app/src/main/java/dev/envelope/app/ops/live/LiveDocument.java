package dev.envelope.app.ops.live;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Durations;
import dev.envelope.app.ops.recent.HotKeys;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Stage;
import dev.envelope.core.status.PartitionStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the page draws besides the status: samples, hot keys, what happened, as maps and records for
 * JSON.
 *
 * <p>Threads: stateless.
 */
public final class LiveDocument {

    private LiveDocument() {}

    /** Samples, oldest first. */
    public static List<Map<String, Object>> samples(List<History.Sample> samples) {
        return samples.stream().map(LiveDocument::sample).toList();
    }

    private static Map<String, Object> sample(History.Sample sample) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("at", sample.at().toEpochMilli());
        document.put("fetched", Math.round(sample.fetched()));
        document.put("saved", Math.round(sample.saved()));
        document.put("rows", Math.round(sample.rows()));
        document.put("duplicates", Math.round(sample.duplicates()));
        document.put("lag", sample.lag());
        document.put("inFlight", sample.inFlight());
        document.put("cacheHits", rounded(sample.hits()));
        Map<String, Seen> stages = new LinkedHashMap<>();
        sample.stages().forEach((stage, seen) -> stages.put(stage, seen(seen)));
        document.put("stages", stages);
        document.put("lags", sample.lags());
        return document;
    }

    private record Seen(long count, double p50, double p99) {}

    private static Seen seen(Durations.Seen seen) {
        return new Seen(seen.count(), rounded(seen.p50()), rounded(seen.p99()));
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    /** The hottest keys. */
    public static List<?> hottest(List<HotKeys.HotKey> keys) {
        return keys.stream().map(it -> new Hot(it.key(), Math.round(it.weight()))).toList();
    }

    private record Hot(String key, long weight) {}

    /** What happened, newest first. */
    public static List<?> events(List<Timeline.Event> events) {
        return events.stream()
                .map(it -> new Event(it.at().toEpochMilli(), it.kind().name(), it.text()))
                .toList();
    }

    private record Event(long at, String kind, String text) {}

    /**
     * How old the oldest message is that is not durable, by its own timestamp; -1 if that is not
     * known, for it was not fetched yet.
     */
    public static long behindMillis(ProcessStatus status, long nowMillis) {
        long most = 0;
        for (PartitionStatus partition : status.partitions()) {
            @Nullable Message first = partition.firstUnackedMessage();
            if (first != null) {
                most = Math.max(most, nowMillis - first.timestampMillis());
            } else if (partition.lag() > 0) {
                return -1;
            }
        }
        return most;
    }

    /** How many messages are where. */
    public static Map<String, Object> flow(ProcessStatus status, Map<Stage, Integer> inTurns) {
        Map<String, Object> document = new LinkedHashMap<>();
        long inAll = inTurns.values().stream().mapToInt(Integer::intValue).sum();
        document.put("waiting", Math.max(0, status.unacked() - inAll));
        inTurns.forEach((stage, messages) -> document.put(stage.name(), messages));
        document.put("uncommitted", status.uncommitted());
        return document;
    }
}
