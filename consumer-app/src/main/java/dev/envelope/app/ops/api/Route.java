package dev.envelope.app.ops.api;

import java.io.IOException;

/**
 * Something that is answered.
 *
 * @param path whose last part may be a name in braces, which stands for any
 */
public record Route(String method, String path, Handler handler) {

    /** What answers it. */
    public interface Handler {

        /**
         * Answers it.
         *
         * @throws Refused if it can't be as it was asked for
         */
        Answer answer(Call call) throws IOException;
    }

    public static Route get(String path, Handler handler) {
        return new Route("GET", path, handler);
    }

    static Route post(String path, Handler handler) {
        return new Route("POST", path, handler);
    }

    /** Whether it answers this. */
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
