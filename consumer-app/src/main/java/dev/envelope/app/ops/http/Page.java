package dev.envelope.app.ops.http;

import dev.envelope.app.ops.api.Answer;
import dev.envelope.app.ops.api.Call;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

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

    static Answer index() {
        return Answer.of(200, "text/html;charset=utf-8", read("index.html"));
    }

    static Answer file(Call call) {
        String type = TYPES.get(call.name());
        return type == null
                ? Answer.of(404, "text/plain", "no such file\n".getBytes(StandardCharsets.UTF_8))
                : Answer.of(200, type, read(call.name()));
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
