package dev.envelope.core.api;

/**
 * Makes text that came from outside fit for a line of log: control characters escaped, length cut.
 */
public final class Words {

    private static final int LONGEST = 200;

    private Words() {}

    /** Text in quotes, on one line, at most some 200 characters of it. */
    public static String quote(String text) {
        return '"' + line(text) + '"';
    }

    /** The same without the quotes. */
    public static String line(String text) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), LONGEST) + 8);
        for (int i = 0; i < text.length() && line.length() < LONGEST; i++) {
            char c = text.charAt(i);
            if (isPlain(c)) {
                line.append(c);
            } else {
                line.append(String.format("\\u%04x", (int) c));
            }
        }
        return line.length() < LONGEST ? line.toString() : line.append('…').toString();
    }

    private static boolean isPlain(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED ->
                    false;
            default -> true;
        };
    }

    /** An exception in one line: its kind, and what it says. */
    public static String describe(Throwable cause) {
        String message = cause.getMessage();
        String kind = cause.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + line(message);
    }

    /** The same, and what has caused it: a library often says only in there what is wrong. */
    public static String describeWithCause(Throwable problem) {
        Throwable cause = problem.getCause();
        return describe(problem) + (cause == null ? "" : ", caused by " + describe(cause));
    }
}
