package dev.envelope.app.terminal;

import dev.envelope.core.api.Words;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Text with places for what a JSON document says: {@code {lag}}, or {@code {totals/parked|%,d}},
 * where it is said how, or {@code {by?somebody}}, where it may be empty; {@code {}} is a document
 * that is a text itself. What a document does not have is empty, or 0 as a number.
 *
 * <p>How: {@code quoted} and {@code line} as by {@link Words}, {@code seconds} and {@code KiB} of a
 * number that is in milliseconds or bytes, {@code json}, or a format of a number, which begins with
 * a percent sign. Any other word is what is counted: {@code {attempts|attempt}}.
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
