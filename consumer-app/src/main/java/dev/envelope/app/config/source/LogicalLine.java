package dev.envelope.app.config.source;

import java.util.ArrayList;
import java.util.List;

/**
 * A line of a properties file together with the lines that continue it; comments and blank lines
 * are none.
 *
 * @param text without leading blanks and continuation marks, escapes still in it
 * @param line where it begins, counted from one
 */
record LogicalLine(String text, int line) {

    /** The logical lines of a file; {@code \n}, {@code \r} and {@code \r\n} all end a line. */
    static List<LogicalLine> split(String text) {
        List<LogicalLine> logical = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        int openedAt = 0;
        int number = 0;
        for (String natural : text.split("\r\n|\r|\n", -1)) {
            number++;
            String line = stripLeading(natural);
            if (open.isEmpty()) {
                if (line.isEmpty() || line.charAt(0) == '#' || line.charAt(0) == '!') {
                    continue;
                }
                openedAt = number;
            }
            if (continues(line)) {
                open.append(line, 0, line.length() - 1);
                continue;
            }
            logical.add(new LogicalLine(open.append(line).toString(), openedAt));
            open.setLength(0);
        }
        if (!open.isEmpty()) {
            logical.add(new LogicalLine(open.toString(), openedAt));
        }
        return logical;
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\f';
    }

    private static String stripLeading(String line) {
        int start = 0;
        while (start < line.length() && isBlank(line.charAt(start))) {
            start++;
        }
        return line.substring(start);
    }

    private static boolean continues(String line) {
        int backslashes = 0;
        while (backslashes < line.length()
                && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }
}
