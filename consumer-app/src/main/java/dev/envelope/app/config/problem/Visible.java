package dev.envelope.app.config.problem;

/**
 * Makes a value fit to be shown on a line of a terminal: blanks at its ends become dots, control
 * characters become escapes, and what is too long is cut.
 */
public final class Visible {

    private static final int LONGEST = 80;
    private static final String BLANK = "\u00b7";

    private Visible() {}

    /** The subject of a message: a key with its value. */
    public static String subject(String key, String value) {
        return value.isEmpty() ? key + " =" : text(key) + " = " + text(value);
    }

    /** Whether a value begins or ends with a blank. */
    public static boolean hasOuterBlanks(String value) {
        return !value.isEmpty()
                && (Character.isWhitespace(value.charAt(0))
                        || Character.isWhitespace(value.charAt(value.length() - 1)));
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
        int start = 0;
        int end = value.length();
        while (start < end && value.charAt(start) == ' ') {
            start++;
        }
        while (end > start && value.charAt(end - 1) == ' ') {
            end--;
        }
        String shown =
                BLANK.repeat(start)
                        + escaped(value.substring(start, end))
                        + BLANK.repeat(value.length() - end);
        return shown.length() > LONGEST ? shown.substring(0, LONGEST - 3) + "..." : shown;
    }

    private static String escaped(String value) {
        StringBuilder shown = new StringBuilder();
        value.chars()
                .forEach(
                        c -> {
                            if (Character.isISOControl(c)
                                    || Character.getType(c) == Character.FORMAT) {
                                shown.append(String.format("\\u%04x", c));
                            } else {
                                shown.append((char) c);
                            }
                        });
        return shown.toString();
    }
}
