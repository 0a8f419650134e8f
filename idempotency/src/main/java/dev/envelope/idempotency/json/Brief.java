package dev.envelope.idempotency.json;

import tools.jackson.core.JacksonException;

/** Makes short single lines of arbitrary text, safe for logs, tables and terminals. */
public final class Brief {

    /** The longest line, in UTF-16 units. */
    public static final int MAX_CHARS = 240;

    private Brief() {}

    /** The text with unprintable characters escaped, cut if it is too long. */
    public static String text(String text) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), MAX_CHARS));
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            at += Character.charCount(point);
            int before = line.length();
            if (isPrintable(point)) {
                line.appendCodePoint(point);
            } else {
                line.append(String.format("\\u%04x", point));
            }
            if (line.length() > MAX_CHARS - 1) {
                line.setLength(before);
                return line.append('…').toString();
            }
        }
        return line.toString();
    }

    /** An exception's class and message, and the line of code that threw it. */
    public static String of(Throwable thrown) {
        if (thrown instanceof JacksonException jackson) {
            return of(jackson);
        }
        String said = thrown.getMessage();
        String line = thrown.getClass().getSimpleName() + (said == null ? "" : ": " + said);
        StackTraceElement[] trace = thrown.getStackTrace();
        for (StackTraceElement frame : trace) {
            if (!frame.getClassName().startsWith("java.")) {
                String place = " (at " + frame.getFileName() + ":" + frame.getLineNumber() + ")";
                return text(text(line) + place);
            }
        }
        return text(line);
    }

    private static String of(JacksonException thrown) {
        String said = String.valueOf(thrown.getOriginalMessage());
        // Advice for code that configures the parser: of no use to an operator.
        said = said.replaceAll(",? from `StreamReadConstraints[^`]*`", "");
        if (thrown.getLocation() == null || thrown.getLocation().getColumnNr() < 1) {
            return text(said);
        }
        String place =
                ", line %d column %d"
                        .formatted(
                                thrown.getLocation().getLineNr(),
                                thrown.getLocation().getColumnNr());
        String cut = text(said);
        int room = MAX_CHARS - place.length();
        return (cut.length() > room ? cut.substring(0, room - 1) + "…" : cut) + place;
    }

    private static boolean isPrintable(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT, // includes those that change the writing direction
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }
}
