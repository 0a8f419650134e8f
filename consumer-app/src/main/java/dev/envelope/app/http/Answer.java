package dev.envelope.app.http;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Response;
import tools.jackson.databind.json.JsonMapper;

/**
 * The answer to a request.
 *
 * @param type of the body
 */
public record Answer(int status, String type, Body body) {

    /** Writes the components of a record, and none of its other getters. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .changeDefaultVisibility(
                            it -> it.withVisibility(PropertyAccessor.IS_GETTER, Visibility.NONE))
                    .build();

    /** The body, after the headers. */
    public interface Body {

        void writeTo(OutputStream to) throws IOException;
    }

    /** A document, as JSON. */
    public static Answer json(Object document) {
        return json(200, document);
    }

    /** The same, with another HTTP status. */
    public static Answer json(int status, Object document) {
        return of(status, "application/json", written(document));
    }

    /** An error, in the form of RFC 9457. */
    public static Answer problem(int status, String detail) {
        return problem(status, detail, Map.of());
    }

    /** The same, with what else there is to say. */
    public static Answer problem(int status, String detail, Map<String, ?> more) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("title", HttpStatus.getMessage(status));
        document.put("status", status);
        document.put("detail", detail);
        document.put("error", detail); // the name from before RFC 9457 was used
        document.putAll(more);
        return of(status, "application/problem+json", written(document));
    }

    /** A text of a type. */
    public static Answer text(int status, String type, String text) {
        return of(status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes of a type. */
    public static Answer of(int status, String type, byte[] bytes) {
        return new Answer(status, type, to -> to.write(bytes));
    }

    /**
     * Begins a response: status and headers.
     *
     * @param common headers of every answer of the server
     */
    public void begin(Response response, HttpFields common) {
        HttpFields.Mutable headers = response.getHeaders();
        response.setStatus(status);
        headers.add(common);
        headers.put(HttpHeader.CONTENT_TYPE, type);
        if (status == 503 || status == 429) {
            headers.put(HttpHeader.RETRY_AFTER, "1");
        }
    }

    /** The body, all of it. */
    public byte[] bytes() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try {
            body().writeTo(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return body.toByteArray();
    }

    /** A document as JSON, in bytes. */
    public static byte[] written(Object document) {
        return MAPPER.writeValueAsBytes(document);
    }
}
