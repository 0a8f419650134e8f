package dev.envelope.app.config.source;

/**
 * An entry, and its text with every reference replaced.
 *
 * @param value may be a secret, and is never shown when the entry has a reference
 */
public record ResolvedEntry(Entry entry, String value) {

    /** Leaves the value out. */
    @Override
    public String toString() {
        return entry.key() + " (" + entry.origin().describe() + ")";
    }
}
