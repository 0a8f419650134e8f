package dev.envelope.integration.oracle;

import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.JsonValueFormat;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * The value of a record of the workload.
 *
 * <p>Threads: immutable.
 *
 * @param id the same in a producer's duplicate
 * @param seq 1, 2, 3 … per key
 * @param aborted whether its transaction was taken back: nobody may ever apply it
 * @param flaky whether the handler fails on it at first, with its state half changed
 */
public record Event(String id, long seq, long delta, boolean aborted, boolean flaky) {

    /** The header with the id. */
    public static final String ID_HEADER = "event-id";

    /** As the consumer under test reads it. */
    public static final ValueFormat<Event> FORMAT = JsonValueFormat.of(Event.class);

    /** The id of a record; one without an id is like no other. */
    static String idOf(Headers headers, int partition, long offset) {
        Header header = headers.lastHeader(ID_HEADER);
        return header == null
                ? partition + ":" + offset
                : new String(header.value(), StandardCharsets.UTF_8);
    }

    /** As it stands in the record. */
    byte[] toJson(int padding) {
        String json =
                "{\"id\":\"%s\",\"seq\":%d,\"delta\":%d,\"aborted\":%b,\"flaky\":%b,\"pad\":\"%s\"}"
                        .formatted(id, seq, delta, aborted, flaky, "x".repeat(padding));
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
