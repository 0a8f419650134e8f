package dev.envelope.integration.bench;

/**
 * Text as it stands in a page.
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

    /** The little of Markdown that our tables use: code and bold. */
    static String inline(String markdown) {
        return escape(markdown)
                .replaceAll("`([^`]*)`", "<code>$1</code>")
                .replaceAll("\\*\\*([^*]*)\\*\\*", "<strong>$1</strong>");
    }
}
