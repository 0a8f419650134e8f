package dev.envelope.app.ops.api;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a caller is told.
 *
 * @param type of the body
 */
public record Answer(int status, String type, Body body) {

    /** Of a record its components, and nothing that it says of itself besides. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .changeDefaultVisibility(
                            it -> it.withVisibility(PropertyAccessor.IS_GETTER, Visibility.NONE))
                    .build();

    /** What comes behind the headers. */
    public interface Body {

        void writeTo(OutputStream to) throws IOException;
    }

    /** A document, as JSON. */
    public static Answer json(Object document) {
        return json(200, document);
    }

    /** The same, with another of HTTP's numbers. */
    public static Answer json(int status, Object document) {
        return of(status, "application/json", written(document));
    }

    /** Why something can't be, in the one form that all of it has (RFC 9457). */
    public static Answer problem(int status, String detail) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("title", HttpStatus.getMessage(status));
        document.put("status", status);
        document.put("detail", detail);
        document.put("error", detail); // its name before there was a form
        return of(status, "application/problem+json", written(document));
    }

    /** A text. */
    public static Answer text(int status, String type, String text) {
        return of(status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    /** These bytes. */
    public static Answer of(int status, String type, byte[] bytes) {
        return new Answer(status, type, to -> to.write(bytes));
    }

    static byte[] written(Object document) {
        return MAPPER.writeValueAsBytes(document);
    }
}
