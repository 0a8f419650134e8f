package dev.envelope.app.config.problem;

import java.util.regex.Pattern;

/**
 * Makes a value fit to be shown on a line of a terminal: blanks at its ends become dots, control
 * characters become escapes, and what is too long is cut.
 */
public final class Visible {

    /** The width of lines in messages and in the sample file. */
    public static final int WIDTH = 96;

    private static final int LONGEST = 80;
    private static final String BLANK = "\u00b7";
    private static final Pattern OUTER_BLANKS = Pattern.compile("^ +| +\\z");

    /** Control and format characters that an escape of four digits can express. */
    private static final Pattern UNSEEN = Pattern.compile("[\\p{Cc}\\p{Cf}&&[\\x{0}-\\x{FFFF}]]");

    private Visible() {}

    /** The subject of a message: a key with its value. */
    public static String subject(String key, String value) {
        return value.isEmpty() ? key + " =" : text(key) + " = " + text(value);
    }

    /** Whether a value begins or ends with a blank. */
    public static boolean hasOuterBlanks(String value) {
        return !value.equals(value.strip());
    }

    /** Whether a value begins and ends with the same quotation mark. */
    public static boolean isQuoted(String value) {
        int last = value.length() - 1;
        return last > 0
                && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                && value.charAt(last) == value.charAt(0);
    }

    /** The value, fit to be shown. */
    public static String text(String value) {
        String escaped =
                UNSEEN.matcher(value)
                        .replaceAll(it -> String.format("\\\\u%04x", (int) it.group().charAt(0)));
        String shown =
                OUTER_BLANKS.matcher(escaped).replaceAll(it -> BLANK.repeat(it.group().length()));
        return shown.length() > LONGEST ? shown.substring(0, LONGEST - 3) + "..." : shown;
    }

    /**
     * A text, wrapped to lines of {@link #WIDTH} characters.
     *
     * @param first the prefix of the first line
     * @param next the prefix of the others
     */
    public static String wrapped(String text, String first, String next) {
        StringBuilder out = new StringBuilder();
        StringBuilder line = new StringBuilder(first);
        String separator = "";
        for (String word : text.split(" ", -1)) {
            if (!separator.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
                out.append(line).append('\n');
                line = new StringBuilder(next);
                separator = "";
            }
            line.append(separator).append(word);
            separator = " ";
        }
        return out.append(line).append('\n').toString();
    }
}
