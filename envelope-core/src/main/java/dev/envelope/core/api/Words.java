package dev.envelope.core.api;

/**
 * Makes text from outside safe for a log line: control characters are escaped, and the length is
 * cut. Also formats counts.
 */
public final class Words {

    private static final int LONGEST = 200;

    /** Longer, since an explanation may end with the remedy. */
    private static final int LONGEST_EXPLANATION = 600;

    private Words() {}

    /** Text in quotes, on one line, cut after about 200 characters. */
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

    /** A count with a noun whose plural only takes an s: {@code 1 message, 2,000 messages}. */
    public static String count(long count, String one) {
        return counted(count, one, one + "s");
    }

    /** An exception in one line: its class and its message. */
    public static String describe(Throwable cause) {
        String message = cause.getMessage();
        String kind = cause.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + line(message);
    }

    /** The same with room for the remedy that a message may end with. */
    public static String describeInFull(Throwable cause) {
        String message = cause.getMessage();
        String kind = cause.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + line(message, LONGEST_EXPLANATION);
    }

    /**
     * An exception and its cause in one line: in libraries often only the cause says what is wrong.
     */
    public static String describeWithCause(Throwable problem) {
        Throwable cause = problem.getCause();
        return describe(problem) + (cause == null ? "" : ", caused by " + describe(cause));
    }

    /** A count with a noun and a verb: {@code 1 key waits}, {@code 2 keys wait}. */
    public static String counted(long count, String one, String more) {
        return String.format("%,d %s", count, count == 1 ? one : more);
    }
}
