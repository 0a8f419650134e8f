package dev.envelope.app.commands.parked;

import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import org.apache.kafka.common.header.Header;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A parked message as one line of JSON, its bytes in base64. */
final class ParkedJson {

    private ParkedJson() {}

    static String of(Entry message) {
        ObjectNode json = JsonMapper.shared().createObjectNode();
        json.put("position", message.position());
        json.put("row", message.rowKey());
        json.put("place", message.place());
        json.put("timestamp", message.timestampMillis());
        json.put("reason", message.reason());
        json.put("attempts", message.attempts());
        json.put("error", message.error());
        json.putPOJO("parkedAt", message.since());
        json.putPOJO("failedAgainAt", message.failedAgain());
        json.put("key", message.key());
        json.put("value", message.value());
        ArrayNode headers = json.putArray("headers");
        for (Header header : message.headers()) {
            headers.addObject().put("name", header.key()).put("value", header.value());
        }
        return json.toString();
    }
}
