package dev.envelope.app.ops.api;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import java.io.IOException;

/**
 * A method and path, with the handler that answers them.
 *
 * @param path its last part may be a name in braces, which matches any text
 */
public record Route(String method, String path, Handler handler) {

    /** Answers requests. */
    public interface Handler {

        /**
         * Answers a request.
         *
         * @throws Refused if the request can't be carried out
         */
        Answer answer(Call call) throws IOException;
    }

    public static Route get(String path, Handler handler) {
        return new Route("GET", path, handler);
    }

    static Route post(String path, Handler handler) {
        return new Route("POST", path, handler);
    }

    /** Whether the route matches. */
    public boolean isFor(String itsMethod, String itsPath) {
        return method.equals(itsMethod) && isAt(itsPath);
    }

    private boolean isAt(String itsPath) {
        int name = path.indexOf('{');
        return name < 0
                ? itsPath.equals(path)
                : itsPath.length() > name
                        && itsPath.startsWith(path.substring(0, name))
                        && itsPath.indexOf('/', name) < 0;
    }
}
