package dev.envelope.integration.stack.page;

import java.util.Locale;

/**
 * A page, or a picture in one, as it is being written.
 *
 * <p>Threads: one at a time.
 */
public final class Html {

    private final StringBuilder text = new StringBuilder();

    /** Adds it as it stands. */
    public Html add(String markup) {
        text.append(markup);
        return this;
    }

    /** Adds numbers, and text that is escaped already, in the form that is given. */
    public Html add(String format, Object... values) {
        return add(String.format(Locale.ROOT, format, values));
    }

    /** The same, with the end of a line behind it. */
    public Html line(String format, Object... values) {
        return add(format, values).add("\n");
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /** Text as it stands in a page. */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** The little of Markdown that our tables use: code and bold. */
    public static String inline(String markdown) {
        return escape(markdown)
                .replaceAll("`([^`]*)`", "<code>$1</code>")
                .replaceAll("\\*\\*([^*]*)\\*\\*", "<strong>$1</strong>");
    }
}
