package dev.envelope.app.terminal;

import dev.envelope.core.api.Words;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Text with places for values of a JSON document: {@code {lag}}; {@code {totals/parked|%,d}} with a
 * format; {@code {by?somebody}} with a text for an empty value; {@code {}} for a document that is a
 * text itself. A missing value is empty, or 0 as a number.
 *
 * <p>Formats are {@code quoted} and {@code line}, as in {@link Words}; {@code seconds} of a number
 * of milliseconds; {@code KiB} of a number of bytes; {@code json}; or a number format, which begins
 * with a percent sign. Any other word is a noun to be counted: {@code {attempts|attempt}}.
 */
public final class Template {

    private static final Pattern PLACE =
            Pattern.compile("\\{([^{}|?]*)(?:\\|([^{}]+))?(?:\\?([^{}]+))?}");

    private Template() {}

    /** The text with its places filled. */
    public static String fill(String text, JsonNode document) {
        return PLACE.matcher(text)
                .replaceAll(place -> Matcher.quoteReplacement(shown(place, document)));
    }

    private static String shown(MatchResult place, JsonNode document) {
        String name = place.group(1);
        JsonNode value = name.isEmpty() ? document : document.at("/" + name);
        String shown = shown(value, Objects.requireNonNullElse(place.group(2), ""));
        return shown.isEmpty() ? Objects.requireNonNullElse(place.group(3), "") : shown;
    }

    private static String shown(JsonNode value, String how) {
        if (how.startsWith("%")) {
            return how.endsWith("d")
                    ? how.formatted(value.asLong())
                    : how.formatted(value.asDouble());
        }
        return switch (how) {
            case "" -> value.asString("");
            case "quoted" -> Words.quote(value.asString());
            case "line" -> Words.line(value.asString());
            case "json" -> value.toString();
            case "seconds" -> "%.1f s".formatted(value.asLong() / 1000.0);
            case "KiB" -> "%,d".formatted(value.asLong() >> 10);
            default -> Words.count(value.asLong(), how);
        };
    }
}
