package dev.envelope.app.config.layer;

import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a properties file by the JDK's own reader, line by line, so that the line of every key is
 * known.
 */
public final class PropertiesParser {

    private static final Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)");

    /** A key, its value and the line on which the key stands. */
    public record Property(String key, String value, int line) {}

    private final String file;
    private final ProblemCollector problems;

    /** A parser that reports problems in {@code file}. */
    public PropertiesParser(String file, ProblemCollector problems) {
        this.file = file;
        this.problems = problems;
    }

    /** The properties in order; a key that is repeated is reported and left out. */
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
        Properties read = new Properties();
        try {
            read.load(new StringReader(readable(logical)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String key = read.stringPropertyNames().stream().findFirst().orElse("");
        return new Property(key, read.getProperty(key, ""), logical.line());
    }

    /** The part of a line that the JDK's reader accepts. Useless backslashes are reported. */
    private String readable(LogicalLine logical) {
        Origin here = new Origin.FileLine(file, logical.line());
        Matcher escapes = ESCAPE.matcher(logical.text());
        while (escapes.find()) {
            String escaped = escapes.group(1);
            if (escaped.equals("u")) {
                problems.error(
                        here,
                        "",
                        "\\u must be followed by four hexadecimal digits",
                        "write \\\\u for a backslash and a u");
                return logical.text().substring(0, escapes.start());
            }
            if (escaped.matches("[^tnrf]") && Character.isLetterOrDigit(escaped.charAt(0))) {
                problems.warning(
                        here,
                        "",
                        "a backslash before '" + escaped + "' has no meaning and is dropped",
                        "write \\\\ for a backslash");
            }
        }
        return logical.text();
    }
}
