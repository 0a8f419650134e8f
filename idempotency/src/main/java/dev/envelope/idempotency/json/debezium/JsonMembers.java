package dev.envelope.idempotency.json.debezium;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Brief;
import dev.envelope.idempotency.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The members of a JSON object, each as its bytes in the document.
 *
 * <p>Threads: immutable; the arrays are never changed.
 */
final class JsonMembers {

    private final Map<String, byte[]> bytes;

    private JsonMembers(Map<String, byte[]> bytes) {
        this.bytes = bytes;
    }

    /** Reads a document; refuses one that is not an object or has a duplicate name. */
    static JsonMembers of(byte[] document) {
        Json json = Json.standard();
        json.checkBytes(document);
        Map<String, byte[]> members = new HashMap<>();
        try (JsonParser parser = json.parser(document)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new MalformedException("the JSON is no object");
            }
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                parser.nextToken();
                int from = (int) parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                parser.finishToken();
                int to = (int) parser.currentLocation().getByteOffset();
                if (members.put(name, Arrays.copyOfRange(document, from, to)) != null) {
                    throw new MalformedException(
                            "the name \"" + Brief.text(name) + "\" occurs twice in an object");
                }
            }
            if (parser.nextToken() != null) {
                throw new MalformedException("more follows after the JSON document");
            }
        } catch (JacksonException e) {
            throw Json.malformed(e);
        }
        return new JsonMembers(members);
    }

    /** The JSON of a member, or null if there is none. */
    byte @Nullable [] get(String name) {
        return bytes.get(name);
    }

    /** The same as text; empty if there is none. */
    String text(String name) {
        byte[] member = bytes.get(name);
        return member == null ? "" : new String(member, StandardCharsets.UTF_8);
    }
}
