package dev.envelope.idempotency.json;

/**
 * The limits on a JSON document, checked while it is read.
 *
 * @param bytes of the document
 * @param depth of nested objects and arrays
 * @param tokens in the document: each brace, bracket, name and value is one
 * @param stringChars of one string
 * @param nameChars of one name in an object
 * @param numberChars of one number as written
 */
public record JsonLimits(
        int bytes, int depth, int tokens, int stringChars, int nameChars, int numberChars) {

    /** For values and states, unless set otherwise. */
    public static final JsonLimits DEFAULT =
            new JsonLimits(4 << 20, 64, 250_000, 1 << 20, 1_024, 1_000);

    public JsonLimits {
        if (Math.min(Math.min(bytes, depth), tokens) < 1
                || Math.min(Math.min(stringChars, nameChars), numberChars) < 1) {
            throw new IllegalArgumentException("a limit is at least 1");
        }
    }
}
