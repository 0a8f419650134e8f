package dev.envelope.app.ops.http;

import io.javalin.json.JsonMapper;
import java.lang.reflect.Type;

/**
 * Writes JSON for Javalin, which would otherwise look for a Jackson that the product does not
 * carry. It reads nothing: no request has a body.
 *
 * <p>Threads: thread-safe (the mapper is).
 */
final class OperationsJson implements JsonMapper {

    private final tools.jackson.databind.json.JsonMapper mapper =
            tools.jackson.databind.json.JsonMapper.builder().build();

    @Override
    public String toJsonString(Object value, Type type) {
        return mapper.writeValueAsString(value);
    }
}
