package dev.envelope.app.handlers.http;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.work.WorkBatch;
import dev.envelope.idempotency.work.WorkId;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.util.ByteArrayBuilder;

/**
 * Posts several messages to a server at once, as an array of objects that have an id and a value.
 *
 * <p>Threads: thread-safe (the server is).
 */
public final class HttpBatch implements WorkBatch<byte[]> {

    private final String applicationId;
    private final Server server;

    /**
     * @throws IllegalArgumentException if the client does not let a header be set
     */
    public HttpBatch(Target target, String applicationId, LongSupplier nanoTime) {
        this.applicationId = applicationId;
        this.server = new Server(target, nanoTime);
    }

    /** Values that are JSON: as they are. */
    public static ValueFormat<byte[]> documents() {
        return (value, message) -> {
            Json.standard().checkStorable(value);
            return value;
        };
    }

    /** Values that are text: as JSON has it. */
    public static ValueFormat<byte[]> texts() {
        return (value, message) -> {
            ByteArrayBuilder out = new ByteArrayBuilder();
            try (JsonGenerator json = Json.standard().generator(out)) {
                json.writeString(new String(value, StandardCharsets.UTF_8));
            }
            return out.toByteArray();
        };
    }

    @Override
    public void run(List<Item<byte[]>> batch) throws Exception {
        HttpRequest.Builder request =
                server.request()
                        .setHeader(Passed.CONTENT_TYPE, "application/json")
                        .setHeader("Envelope-Messages", Integer.toString(batch.size()))
                        .POST(BodyPublishers.ofByteArray(body(batch)));
        server.post(request);
    }

    private byte[] body(List<Item<byte[]>> batch) {
        ByteArrayBuilder out = new ByteArrayBuilder();
        try (JsonGenerator json = Json.standard().generator(out)) {
            json.writeStartArray();
            batch.forEach(item -> write(item.value(), item.message(), json));
            json.writeEndArray();
        }
        return out.toByteArray();
    }

    private void write(byte @Nullable [] value, Message message, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("id", WorkId.of(applicationId, message));
        json.writeStringProperty("topic", message.topic());
        json.writeNumberProperty("partition", message.partition());
        json.writeNumberProperty("offset", message.offset());
        json.writeNumberProperty("timestamp", message.timestampMillis());
        byte @Nullable [] key = message.keyBytes();
        if (key != null) {
            json.writeStringProperty("key", Passed.text(key));
        }
        Map<String, String> passed = Passed.of(message);
        passed.remove(Passed.CONTENT_TYPE); // that of the value
        if (!passed.isEmpty()) {
            json.writeName("headers");
            json.writeStartObject();
            passed.forEach(json::writeStringProperty);
            json.writeEndObject();
        }
        json.writeName("value");
        if (value == null) {
            json.writeNull();
        } else {
            json.writeRawValue(new String(value, StandardCharsets.UTF_8));
        }
        if (value == null) {
            json.writeBooleanProperty("tombstone", true);
        }
        json.writeEndObject();
    }
}
