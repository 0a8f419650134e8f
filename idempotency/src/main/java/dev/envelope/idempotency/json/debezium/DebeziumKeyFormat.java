package dev.envelope.idempotency.json.debezium;

import dev.envelope.core.key.KeyFormat;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Json;
import java.util.TreeMap;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Debezium's keys in JSON, with or without schema: the value of a key with one column; for several
 * columns, an object of them sorted by name.
 *
 * <p>Threads: thread-safe.
 */
public final class DebeziumKeyFormat implements KeyFormat {

    private final Json json = Json.standard();
    private final ObjectReader reader = json.messageReader(json.type(JsonNode.class));

    @Override
    public String decode(String topic, Headers headers, byte[] key) throws KeyRefused {
        @Nullable Object read;
        try {
            json.checkBytes(key);
            read = Json.read(reader, key, "not JSON");
        } catch (MalformedException e) {
            throw new KeyRefused("key-format: " + e.getMessage());
        }
        if (!(read instanceof ObjectNode document)) {
            throw refused();
        }
        ObjectNode columns = columns(document);
        if (columns.isEmpty() || columns.valueStream().anyMatch(JsonNode::isNull)) {
            throw refused();
        }
        return columns.size() == 1 ? text(columns.iterator().next()) : sorted(columns).toString();
    }

    private static KeyRefused refused() {
        return new KeyRefused(
                "key-format: no key of Debezium, which is an object of columns without null");
    }

    private static ObjectNode columns(ObjectNode document) {
        boolean hasSchema = document.has("schema");
        return hasSchema && document.get("payload") instanceof ObjectNode payload
                ? payload
                : document;
    }

    private static String text(JsonNode column) {
        return column.isString() ? column.stringValue() : column.toString();
    }

    private static ObjectNode sorted(ObjectNode columns) {
        TreeMap<String, JsonNode> byName = new TreeMap<>();
        columns.properties().forEach(column -> byName.put(column.getKey(), column.getValue()));
        return JsonNodeFactory.instance.objectNode().setAll(byName);
    }
}
