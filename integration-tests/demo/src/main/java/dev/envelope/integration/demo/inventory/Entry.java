package dev.envelope.integration.demo.inventory;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A record of the log, as the auditor reads it.
 *
 * <p>Threads: immutable.
 *
 * @param id of its event; null for a firing
 * @param command if somebody waits for an answer
 * @param fired the order whose timer has fired; null for all that people send
 * @param generation of the timer that has fired
 */
record Entry(
        long offset,
        long timestamp,
        @Nullable String id,
        @Nullable String command,
        @Nullable String fired,
        @Nullable String generation,
        String action,
        String order,
        long quantity,
        long holdMillis) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * A row of the table of deliveries.
     *
     * @param offset how many of its item are before it; below zero if a log begins behind it
     */
    static Entry delivered(long offset, long quantity) {
        return new Entry(offset, 0, null, null, null, null, "deliver", "", quantity, 0);
    }

    static Entry of(ConsumerRecord<String, String> entry) {
        @Nullable String fired = header(entry, "envelope.timer");
        JsonNode value = fired == null ? JSON.readTree(entry.value()) : JSON.createObjectNode();
        return new Entry(
                entry.offset(),
                entry.timestamp(),
                header(entry, Shop.ID_HEADER),
                header(entry, "envelope.command"),
                fired,
                header(entry, "envelope.timer.generation"),
                value.path("action").asString(""),
                value.path("order").asString(""),
                value.path("quantity").asLong(0),
                value.path("holdMillis").asLong(0));
    }

    private static @Nullable String header(ConsumerRecord<String, String> entry, String name) {
        @Nullable Header header = entry.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
