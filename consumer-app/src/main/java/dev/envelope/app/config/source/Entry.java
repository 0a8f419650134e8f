package dev.envelope.app.config.source;

import dev.envelope.app.config.problem.Origin;
import java.nio.file.Path;

/**
 * A key with its text as somebody wrote it, and the place where.
 *
 * @param directory what relative paths in the text are relative to
 */
public record Entry(String key, String text, Origin origin, Path directory) {

    /** Whether the text names a secret's place instead of holding it. */
    public boolean hasReference() {
        return References.in(text).findAny().isPresent();
    }

    /** Leaves the text out: it may be a secret. */
    @Override
    public String toString() {
        return key + " (" + origin.describe() + ")";
    }
}
