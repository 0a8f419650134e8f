package dev.envelope.integration.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What the log means, worked out independently of the engine: the state of each key after all its
 * messages below an offset, and the messages that are to be parked.
 *
 * <p>Threads: one thread.
 */
final class Reference {

    private final SimLog log;
    private final Map<String, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> byKey =
            new HashMap<>();
    private final int[] indexed;

    Reference(SimLog log) {
        this.log = log;
        this.indexed = new int[log.partitionCount()];
    }

    /** Takes in what has been appended since the last time. */
    private void index() {
        for (int partition = 0; partition < indexed.length; partition++) {
            var records = log.records(partition);
            for (; indexed[partition] < records.size(); indexed[partition]++) {
                var record = records.get(indexed[partition]);
                if (record.key() != null) {
                    byKey.computeIfAbsent(text(record.key()), key -> new ArrayList<>()).add(record);
                }
            }
        }
    }

    Set<String> keys() {
        index();
        return new TreeSet<>(byKey.keySet());
    }

    /**
     * The places applied to a key by its messages below an offset; null for no state.
     *
     * @param without the places of messages that are parked at the moment
     */
    @Nullable List<String> state(String key, long belowOffset, Set<String> without) {
        index();
        @Nullable List<String> state = null;
        Set<String> ids = new HashSet<>();
        for (var record : byKey.getOrDefault(key, List.of())) {
            String place = record.partition() + ":" + record.offset();
            if (record.offset() < belowOffset
                    && !isMalformed(record.value())
                    && !without.contains(place)) {
                if (!ids.add(id(record))) {
                    continue;
                }
                if (record.value() == null) {
                    state = null;
                } else {
                    state = state == null ? new ArrayList<>() : state;
                    state.add(place);
                }
            }
        }
        return state;
    }

    /** The place behind a key's last message. */
    long end(String key) {
        index();
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records =
                byKey.getOrDefault(key, List.of());
        return records.isEmpty() ? 0 : records.get(records.size() - 1).offset() + 1;
    }

    /** The places of all messages that stay parked: those without a row. */
    Set<String> parked() {
        Set<String> parked = new TreeSet<>();
        for (int partition = 0; partition < log.partitionCount(); partition++) {
            for (var record : log.records(partition)) {
                if (record.key() == null) {
                    parked.add(record.partition() + ":" + record.offset());
                }
            }
        }
        return parked;
    }

    static boolean isMalformed(byte @Nullable [] value) {
        return value != null && (value.length == 0 || value[0] != 'v');
    }

    private static String id(ConsumerRecord<?, ?> record) {
        Header header = record.headers().lastHeader(SimLog.ID_HEADER);
        return text(header.value());
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }
}
