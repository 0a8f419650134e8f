package dev.envelope.idempotency.json;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.ValueFormat;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;

/**
 * Values that are JSON documents, read as a tree or as a type of the handler. Unknown names are
 * ignored, since producers add names without notice.
 *
 * <p>Threads: thread-safe.
 */
public final class JsonValueFormat<M> implements ValueFormat<M> {

    private final Json json;
    private final ObjectReader reader;
    private final @Nullable FlatRecord flat;

    private JsonValueFormat(Json json, Type type) {
        this.json = json;
        JavaType known = json.type(type);
        reader = json.messageReader(known);
        flat = FlatRecord.of(json, known, reader).orElse(null);
    }

    /** As trees, with exact decimals. */
    public static JsonValueFormat<JsonNode> ofTrees() {
        return of(JsonNode.class);
    }

    public static <M> JsonValueFormat<M> of(Class<M> type) {
        return of(Json.standard(), type);
    }

    /**
     * For a type with parameters.
     *
     * @param type of the values; the caller guarantees that it is {@code M}
     */
    public static <M> JsonValueFormat<M> of(Json json, Type type) {
        return new JsonValueFormat<>(json, type);
    }

    @Override
    @SuppressWarnings("unchecked") // the reader makes objects of the type
    public M decode(byte[] value, Message message) {
        json.checkBytes(value);
        @Nullable Object plain = flat == null ? null : flat.read(value);
        return (M) (plain == null ? parse(value) : plain);
    }

    private Object parse(byte[] value) {
        Object decoded = Json.read(reader, value, "not the JSON that is expected");
        if (decoded == null) { // the fold would take it for a tombstone
            throw new MalformedException("the JSON document is null");
        }
        return decoded;
    }
}
