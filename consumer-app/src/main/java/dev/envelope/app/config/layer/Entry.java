package dev.envelope.app.config.layer;

import dev.envelope.app.config.problem.Origin;
import java.nio.file.Path;

/**
 * A key with its text as it was written, and its place.
 *
 * @param value the text with every reference replaced: may be a secret, and is never shown where
 *     the text has a reference
 * @param directory what relative paths in the text are relative to
 */
public record Entry(String key, String text, String value, Origin origin, Path directory) {

    /** An entry whose references, if there are any, are not replaced yet. */
    public Entry(String key, String text, Origin origin, Path directory) {
        this(key, text, text, origin, directory);
    }

    /** The same with another value. */
    public Entry with(String other) {
        return new Entry(key, text, other, origin, directory);
    }

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
