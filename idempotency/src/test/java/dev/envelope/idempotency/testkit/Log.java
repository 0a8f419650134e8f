package dev.envelope.idempotency.testkit;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All records of all sources, known in full or growing as they are produced.
 *
 * <p>Threads: one at a time.
 */
public final class Log {

    private record Lane(String key, int source) {}

    private final Map<Integer, NavigableMap<Long, LogRecord>> bySource = new TreeMap<>();
    private final Map<Lane, NavigableMap<Long, LogRecord>> toApply = new HashMap<>();

    public void add(LogRecord record) {
        int source = record.place().source();
        long offset = record.place().offset();
        bySource.computeIfAbsent(source, it -> new TreeMap<>()).put(offset, record);
        String key = record.key();
        if (key != null && record.expected() == LogRecord.Expected.APPLIED) {
            toApply.computeIfAbsent(new Lane(key, source), it -> new TreeMap<>())
                    .put(offset, record);
        }
    }

    /** The record there, or null: an aborted one, a marker, or nothing at all. */
    public @Nullable LogRecord find(Place place) {
        return source(place.source()).get(place.offset());
    }

    /** The records of a source by offset. */
    public NavigableMap<Long, LogRecord> source(int source) {
        return bySource.getOrDefault(source, Collections.emptyNavigableMap());
    }

    /**
     * The first record of the key in the source, at or behind the offset, that is to be applied.
     */
    public @Nullable LogRecord nextToApply(String key, int source, long offset) {
        NavigableMap<Long, LogRecord> lane =
                toApply.getOrDefault(new Lane(key, source), Collections.emptyNavigableMap());
        Map.Entry<Long, LogRecord> next = lane.ceilingEntry(offset);
        return next == null ? null : next.getValue();
    }

    public Collection<NavigableMap<Long, LogRecord>> sources() {
        return Collections.unmodifiableCollection(bySource.values());
    }

    public int size() {
        return bySource.values().stream().mapToInt(Map::size).sum();
    }
}
