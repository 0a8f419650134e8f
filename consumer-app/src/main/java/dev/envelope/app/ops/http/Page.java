package dev.envelope.app.ops.http;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Serves the page: files beside the program's classes. The page gets its data from the API. */
final class Page {

    private static final String FOLDER = "/dev/envelope/app/ops/page/";

    private static final Pattern NAME = Pattern.compile("\\w+\\.(\\w+)");

    private static final Map<String, String> TYPES =
            Map.of(
                    "css", "text/css; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "svg", "image/svg+xml");

    private Page() {}

    static Answer index() {
        return file("index.html", "text/html;charset=utf-8");
    }

    static Answer file(Call call) {
        Matcher name = NAME.matcher(call.name());
        return file(call.name(), name.matches() ? TYPES.get(name.group(1)) : null);
    }

    private static Answer file(String name, @Nullable String type) {
        try (InputStream file = Page.class.getResourceAsStream(FOLDER + name)) {
            return file == null || type == null
                    ? Answer.text(404, "text/plain", "no such file\n")
                    : Answer.of(200, type, file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
