package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.json.Brief;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A position in a text that is being parsed. Its errors name the column, counted from 1.
 *
 * <p>Threads: actor, one at a time.
 */
final class Cursor {

    private static final Pattern BLANKS = Pattern.compile("\\p{javaWhitespace}*");
    private static final Pattern LETTERS = Pattern.compile("\\p{javaLetter}*");

    /** Text up to a blank or a sign. */
    private static final Pattern BARE = Pattern.compile("[^\\p{javaWhitespace}(),=!<>\"']*");

    private final String text;
    private int at;

    Cursor(String text) {
        this.text = text;
    }

    /** A pointer as the parser reads it: in quotes if necessary. */
    static String written(String pointer) {
        return BARE.matcher(pointer).matches() ? pointer : quote(pointer);
    }

    /** A text in quotes, as the parser reads it. */
    static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** The position of the next token. */
    int next() {
        take(BLANKS);
        return at;
    }

    void returnTo(int earlier) {
        at = earlier;
    }

    boolean isAtEnd() {
        return next() == text.length();
    }

    boolean isAt(String sign) {
        return text.startsWith(sign, next());
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
        return take(LETTERS);
    }

    /** The text from here to a blank or a sign, or within the quotes that start here. */
    String term() {
        return isAtQuote() ? quoted() : take(BARE);
    }

    private String quoted() {
        int opening = at;
        StringBuilder content = new StringBuilder();
        for (at++; at < text.length() && text.charAt(at) != text.charAt(opening); at++) {
            if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                at++;
            }
            content.append(text.charAt(at));
        }
        if (at == text.length()) {
            at = opening;
            throw wrong("a quote that is not closed");
        }
        at++;
        return content.toString();
    }

    private String take(Pattern pattern) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        String taken = matcher.lookingAt() ? matcher.group() : "";
        at += taken.length();
        return taken;
    }

    IllegalArgumentException expected(String what) {
        return expected(what, "");
    }

    IllegalArgumentException expected(String what, String hint) {
        int from = next();
        String word = word();
        at = from;
        String found = word.isEmpty() ? text.substring(at).lines().findFirst().orElse("") : word;
        String shown = found.isEmpty() ? "the end" : '"' + Brief.text(found) + '"';
        return wrong("expected " + what + ", found " + shown + hint);
    }

    IllegalArgumentException wrong(String message) {
        return new IllegalArgumentException("at column " + (at + 1) + ": " + message);
    }
}
