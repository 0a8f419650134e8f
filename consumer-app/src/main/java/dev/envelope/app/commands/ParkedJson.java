package dev.envelope.app.commands;

import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import java.time.Instant;
import java.util.Base64;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A parked message as one line of JSON, its bytes in base64. Threads: thread-safe. */
final class ParkedJson {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private ParkedJson() {}

    static String of(Entry message) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("position", message.position());
        json.put("row", message.rowKey());
        json.put("place", message.place());
        json.put("timestamp", message.timestampMillis());
        json.put("reason", message.reason());
        json.put("attempts", message.attempts());
        json.put("error", message.error());
        json.put("parkedAt", message.since().toString());
        Instant again = message.failedAgain();
        json.put("failedAgainAt", again == null ? null : again.toString());
        json.put("key", base64(message.key()));
        json.put("value", base64(message.value()));
        ArrayNode headers = json.putArray("headers");
        for (Header header : message.headers()) {
            headers.addObject().put("name", header.key()).put("value", base64(header.value()));
        }
        return json.toString();
    }

    private static @Nullable String base64(byte @Nullable [] bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
    }
}
