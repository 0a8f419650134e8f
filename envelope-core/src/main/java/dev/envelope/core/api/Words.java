package dev.envelope.core.api;

/**
 * Makes text that came from outside fit for a line of log: control characters escaped, length cut;
 * and counts in words.
 */
public final class Words {

    private static final int LONGEST = 200;

    /** What went wrong may end with what mends it. */
    private static final int LONGEST_EXPLANATION = 600;

    private Words() {}

    /** Text in quotes, on one line, at most some 200 characters of it. */
    public static String quote(String text) {
        return '"' + line(text) + '"';
    }

    /** The same without the quotes. */
    public static String line(String text) {
        return line(text, LONGEST);
    }

    private static String line(String text, int longest) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), longest) + 8);
        for (int i = 0; i < text.length() && line.length() < longest; i++) {
            char c = text.charAt(i);
            if (isPlain(c)) {
                line.append(c);
            } else {
                line.append(String.format("\\u%04x", (int) c));
            }
        }
        return line.length() < longest ? line.toString() : line.append('…').toString();
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

    /** So many of something, whose plural only takes an s: {@code 1 message, 2,000 messages}. */
    public static String count(long count, String one) {
        return counted(count, one, one + "s");
    }

    /** An exception in one line: its kind, and what it says. */
    public static String describe(Throwable cause) {
        String message = cause.getMessage();
        String kind = cause.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + line(message);
    }

    /** The same for people who look: they see to the end what mends it. */
    public static String describeInFull(Throwable cause) {
        String message = cause.getMessage();
        String kind = cause.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + line(message, LONGEST_EXPLANATION);
    }

    /**
     * An exception in one line, and what has caused it: a library often says only in there what is
     * wrong.
     */
    public static String describeWithCause(Throwable problem) {
        Throwable cause = problem.getCause();
        return describe(problem) + (cause == null ? "" : ", caused by " + describe(cause));
    }

    /** A number and what is counted: {@code 1 key waits}, {@code 2 keys wait}. */
    public static String counted(long count, String one, String more) {
        return String.format("%,d %s", count, count == 1 ? one : more);
    }
}
