package dev.envelope.idempotency.json.id;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Brief;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.json.PointerReader;
import dev.envelope.idempotency.json.Scalars;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The ids of CloudEvents: unique within their source, so both are hashed.
 *
 * <p>In binary mode they are in the headers {@code ce_source} and {@code ce_id}; in structured
 * mode, recognized by the content type {@code application/cloudevents+json}, in the value. A
 * message that lacks either one has no id.
 *
 * <p>Threads: immutable.
 */
public final class CloudEventIds implements MessageIds {

    private static final String STRUCTURED = "application/cloudevents";
    private static final int SOURCE = 0;
    private static final int ID = 1;

    private final PointerReader reader =
            new PointerReader(Json.standard(), List.of("/source", "/id"));

    @Override
    public @Nullable IdHash find(Message message) {
        byte[] type = message.header("content-type");
        if (type != null) {
            String name = new String(type, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
            if (name.startsWith(STRUCTURED)) {
                return structured(mediaType(name), message);
            }
        }
        return hash(message.header("ce_source"), message.header("ce_id"));
    }

    private @Nullable IdHash structured(String mediaType, Message message) {
        byte[] value = message.value();
        if (value == null) {
            return null;
        }
        if (!mediaType.equals(STRUCTURED) && !mediaType.equals(STRUCTURED + "+json")) {
            throw new MalformedException(
                    Brief.text("a CloudEvent in a format that is not JSON: " + mediaType));
        }
        Scalars found = reader.read(value);
        return hash(text(found, SOURCE), text(found, ID));
    }

    private static byte @Nullable [] text(Scalars found, int place) {
        return found.kind(place) == Scalars.Kind.TEXT
                ? found.asText(place).getBytes(StandardCharsets.UTF_8)
                : null;
    }

    private static @Nullable IdHash hash(byte @Nullable [] source, byte @Nullable [] id) {
        if (source == null || source.length == 0 || id == null || id.length == 0) {
            return null;
        }
        return IdHash.of(source, id);
    }

    private static String mediaType(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).trim();
    }
}
