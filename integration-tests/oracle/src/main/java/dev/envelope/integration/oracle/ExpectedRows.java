package dev.envelope.integration.oracle;

import dev.envelope.idempotency.testkit.Log;
import dev.envelope.idempotency.testkit.LogRecord;
import dev.envelope.idempotency.testkit.LogRecord.Expected;
import dev.envelope.idempotency.testkit.Place;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What ought to be in the database, from the records of the log, one after the other.
 *
 * <p>In its places, a source is a partition's number.
 *
 * <p>Threads: one at a time.
 */
public final class ExpectedRows {

    private static final JsonMapper JSON =
            JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    private final Log log = new Log();
    private final Map<String, Ledger> rows = new TreeMap<>();
    private final Map<String, Set<String>> seen = new HashMap<>();
    private final Map<Place, ParkedBytes> parked = new HashMap<>();
    private int duplicates;

    /** A message as it came, byte by byte; null where there was nothing. */
    record ParkedBytes(byte @Nullable [] key, byte @Nullable [] value) {}

    /** The next record of its partition. */
    void read(ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        Place place = new Place(record.partition(), record.offset());
        Kind kind = Kind.readFrom(record.headers());
        byte @Nullable [] keyBytes = record.key();
        if (kind == Kind.WITHOUT_ROW || keyBytes == null) {
            park(place, null, record);
            return;
        }
        String key = new String(keyBytes, StandardCharsets.UTF_8);
        if (kind == Kind.MALFORMED) {
            park(place, key, record);
            return;
        }
        String id = Event.idOf(record.headers(), record.partition(), record.offset());
        if (!seen.computeIfAbsent(key, it -> new HashSet<>()).add(id)) {
            duplicates++;
            log.add(new LogRecord(place, key, id, Expected.SKIPPED));
            return;
        }
        log.add(new LogRecord(place, key, id, Expected.APPLIED));
        Ledger row = rows.computeIfAbsent(key, it -> new Ledger());
        byte @Nullable [] value = record.value();
        row.begin();
        row.complete(value == null ? null : parse(value), id);
    }

    static Event parse(byte[] value) {
        return JSON.readValue(value, Event.class);
    }

    private void park(
            Place place,
            @Nullable String key,
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        parked.put(place, new ParkedBytes(record.key(), record.value()));
        log.add(new LogRecord(place, key, "parked-" + place, Expected.PARKED));
    }

    /** All records read so far, and what has to become of each. */
    public Log log() {
        return log;
    }

    /** The rows that ought to be there, by key. */
    public Map<String, Ledger> rows() {
        return Collections.unmodifiableMap(rows);
    }

    Map<Place, ParkedBytes> parked() {
        return Collections.unmodifiableMap(parked);
    }

    /** How many messages have to be parked. */
    public int toPark() {
        return parked.size();
    }

    /** How many records were producers' duplicates. */
    public int duplicates() {
        return duplicates;
    }
}
