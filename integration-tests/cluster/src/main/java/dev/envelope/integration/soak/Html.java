package dev.envelope.integration.soak;

/**
 * Text in a page.
 *
 * <p>Threads: immutable.
 */
final class Html {

    private Html() {}

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
