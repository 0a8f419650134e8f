package dev.envelope.app.ops.api;

import io.javalin.http.Handler;
import io.javalin.http.HandlerType;

/**
 * Something that the API answers.
 *
 * <p>Threads: immutable.
 */
public record Route(HandlerType method, String path, Handler handler) {

    static Route get(String path, Handler handler) {
        return new Route(HandlerType.GET, path, handler);
    }

    static Route post(String path, Handler handler) {
        return new Route(HandlerType.POST, path, handler);
    }
}
