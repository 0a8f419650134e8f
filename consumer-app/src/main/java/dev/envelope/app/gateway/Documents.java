package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.util.RawValue;

/** JSON that stands in answers as it was stored. */
final class Documents {

    private Documents() {}

    /** Bytes that are JSON, as a part of a document. */
    static Object json(byte[] document) {
        return new RawValue(new String(document, UTF_8));
    }

    /** Whether bytes are one JSON value. */
    static boolean isJson(byte[] bytes) {
        try {
            check(bytes);
            return true;
        } catch (MalformedException e) {
            return false;
        }
    }

    /**
     * Checks that bytes are one JSON value.
     *
     * @throws MalformedException with the reason, if they are not
     */
    static void check(byte[] bytes) {
        Json.standard().checkBytes(bytes);
        try (JsonParser parser = Json.standard().parser(bytes)) {
            if (parser.nextToken() == null) {
                throw new MalformedException("no JSON: the value is blank");
            }
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new MalformedException("more than one JSON value");
            }
        } catch (JacksonException e) {
            throw Json.malformed(e);
        }
    }
}
