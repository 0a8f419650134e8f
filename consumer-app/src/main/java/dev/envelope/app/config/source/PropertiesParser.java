package dev.envelope.app.config.source;

import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the text of one properties file in the JDK's format, and keeps the line of every key.
 *
 * <p>Threads: one thread, the one that loads.
 */
public final class PropertiesParser {

    /** A key, its value and the line on which the key stands. */
    public record Property(String key, String value, int line) {}

    private final String file;
    private final ProblemCollector problems;

    /** A parser whose problems are found in {@code file}. */
    public PropertiesParser(String file, ProblemCollector problems) {
        this.file = file;
        this.problems = problems;
    }

    /** The properties in order; a key that appears again is a problem and does not count. */
    public List<Property> parse(String text) {
        List<Property> properties = new ArrayList<>();
        Map<String, Integer> lines = new HashMap<>();
        for (LogicalLine logical : LogicalLine.split(text)) {
            Property property = property(logical);
            Origin here = new Origin.FileLine(file, property.line());
            Integer earlier = lines.putIfAbsent(property.key(), property.line());
            if (property.key().isEmpty()) {
                problems.error(here, "", "there is no key before the separator");
            } else if (earlier != null) {
                problems.error(
                        here,
                        property.key(),
                        "is set twice: on line " + earlier + " and on line " + property.line(),
                        "remove one of the two lines");
            } else {
                properties.add(property);
            }
        }
        return properties;
    }

    private Property property(LogicalLine logical) {
        String text = logical.text();
        int keyEnd = 0;
        while (keyEnd < text.length() && !endsKey(text.charAt(keyEnd))) {
            keyEnd += text.charAt(keyEnd) == '\\' ? 2 : 1;
        }
        keyEnd = Math.min(keyEnd, text.length());
        int valueStart = skipBlanks(text, keyEnd);
        if (valueStart < text.length() && isSeparator(text.charAt(valueStart))) {
            valueStart = skipBlanks(text, valueStart + 1);
        }
        String key = unescape(text.substring(0, keyEnd), logical.line());
        return new Property(
                key, unescape(text.substring(valueStart), logical.line()), logical.line());
    }

    private String unescape(String escaped, int line) {
        if (escaped.indexOf('\\') < 0) {
            return escaped;
        }
        StringBuilder plain = new StringBuilder(escaped.length());
        int at = 0;
        while (at < escaped.length()) {
            char c = escaped.charAt(at++);
            if (c != '\\' || at == escaped.length()) {
                plain.append(c == '\\' ? "" : c);
                continue;
            }
            char kind = escaped.charAt(at++);
            if (kind == 'u') {
                at = appendCodeUnit(plain, escaped, at, line);
            } else {
                plain.append(escape(kind, line));
            }
        }
        return plain.toString();
    }

    private char escape(char kind, int line) {
        return switch (kind) {
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 'f' -> '\f';
            default -> {
                if (Character.isLetterOrDigit(kind)) {
                    problems.warning(
                            new Origin.FileLine(file, line),
                            "",
                            "a backslash before '" + kind + "' has no meaning and is dropped",
                            "write \\\\ for a backslash");
                }
                yield kind;
            }
        };
    }

    private int appendCodeUnit(StringBuilder plain, String escaped, int from, int line) {
        int to = from + 4;
        if (to <= escaped.length()
                && escaped.chars().skip(from).limit(4).allMatch(c -> Character.digit(c, 16) >= 0)) {
            plain.append((char) Integer.parseInt(escaped.substring(from, to), 16));
            return to;
        }
        problems.error(
                new Origin.FileLine(file, line),
                "",
                "\\u must be followed by four hexadecimal digits",
                "write \\\\u for a backslash and a u");
        return escaped.length();
    }

    private static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && LogicalLine.isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean endsKey(char c) {
        return isSeparator(c) || LogicalLine.isBlank(c);
    }

    private static boolean isSeparator(char c) {
        return c == '=' || c == ':';
    }
}
