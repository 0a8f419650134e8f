package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.json.Brief;

/**
 * A place in a text that is being read. It says what is wrong there with its column, from 1.
 *
 * <p>Threads: actor, one at a time.
 */
final class Cursor {

    private static final String SIGNS = "(),=!<>\"'";

    private final String text;
    private int at;

    Cursor(String text) {
        this.text = text;
    }

    /** A pointer as it is read again: in quotes if it has to be. */
    static String written(String pointer) {
        Cursor cursor = new Cursor(pointer);
        return cursor.bare().equals(pointer) ? pointer : quote(pointer);
    }

    /** A text in quotes, as it is read again. */
    static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    int at() {
        return at;
    }

    void returnTo(int earlier) {
        at = earlier;
    }

    void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    boolean isAtEnd() {
        skipBlanks();
        return at == text.length();
    }

    boolean isAt(String sign) {
        skipBlanks();
        return text.startsWith(sign, at);
    }

    boolean isAtQuote() {
        return isAt("\"") || isAt("'");
    }

    boolean skip(String sign) {
        boolean there = isAt(sign);
        at += there ? sign.length() : 0;
        return there;
    }

    void expect(String sign, String what) {
        if (!skip(sign)) {
            throw expected(what);
        }
    }

    /** The letters from here. */
    String word() {
        int from = at;
        while (at < text.length() && Character.isLetter(text.charAt(at))) {
            at++;
        }
        return text.substring(from, at);
    }

    /** Everything from here to a blank or a sign. */
    String bare() {
        int from = at;
        while (at < text.length()
                && !Character.isWhitespace(text.charAt(at))
                && SIGNS.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(from, at);
    }

    /** The text in the quotes that start here. */
    String quoted() {
        int opening = at;
        char quote = text.charAt(at++);
        StringBuilder content = new StringBuilder();
        while (at < text.length() && text.charAt(at) != quote) {
            if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                at++;
            }
            content.append(text.charAt(at++));
        }
        if (at == text.length()) {
            at = opening;
            throw wrong("a quote that is not closed");
        }
        at++;
        return content.toString();
    }

    IllegalArgumentException expected(String what) {
        return expected(what, "");
    }

    IllegalArgumentException expected(String what, String hint) {
        skipBlanks();
        int from = at;
        String next = word();
        next = next.isEmpty() ? text.substring(from).lines().findFirst().orElse("") : next;
        at = from;
        String found = next.isEmpty() ? "the end" : '"' + Brief.text(next) + '"';
        return wrong("expected " + what + ", found " + found + hint);
    }

    IllegalArgumentException wrong(String message) {
        return new IllegalArgumentException("at column " + (at + 1) + ": " + message);
    }
}
