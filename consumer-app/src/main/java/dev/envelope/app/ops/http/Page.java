package dev.envelope.app.ops.http;

import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The page: files that stand beside the program. What it shows it asks the API for.
 *
 * <p>Threads: stateless.
 */
final class Page {

    private static final String FOLDER = "/dev/envelope/app/ops/page/";

    private static final Map<String, String> TYPES =
            Map.of(
                    "page.css", "text/css; charset=utf-8",
                    "page.js", "text/javascript; charset=utf-8",
                    "ask.js", "text/javascript; charset=utf-8",
                    "charts.js", "text/javascript; charset=utf-8",
                    "keys.js", "text/javascript; charset=utf-8",
                    "parked.js", "text/javascript; charset=utf-8",
                    "render.js", "text/javascript; charset=utf-8",
                    "icon.svg", "image/svg+xml");

    private Page() {}

    static void index(Context context) {
        context.contentType("text/html; charset=utf-8").result(read("index.html"));
    }

    static void file(Context context) {
        String name = context.pathParam("file");
        @Nullable String type = TYPES.get(name);
        if (type == null) {
            context.status(404).result("no such file\n");
        } else {
            context.contentType(type).result(read(name));
        }
    }

    private static byte[] read(String name) {
        try (InputStream file = Page.class.getResourceAsStream(FOLDER + name)) {
            if (file == null) {
                throw new IllegalStateException("the program is packed without " + name);
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
