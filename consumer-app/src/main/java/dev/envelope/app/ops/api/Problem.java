package dev.envelope.app.ops.api;

import io.javalin.http.Context;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is answered where something can't be, in the one form that all of it has (RFC 9457).
 *
 * <p>Threads: stateless.
 */
public final class Problem {

    public static final String TYPE = "application/problem+json";

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Problem() {}

    /** Answers with it. */
    public static void answer(Context context, int status, String detail) {
        context.status(status).json(document(status, detail)).contentType(TYPE);
    }

    /** The same as text. */
    public static String text(int status, String detail) {
        return MAPPER.writeValueAsString(document(status, detail));
    }

    private static Map<String, Object> document(int status, String detail) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("title", HttpStatus.getMessage(status));
        document.put("status", status);
        document.put("detail", detail);
        document.put("error", detail); // its name before there was a form
        return document;
    }
}
