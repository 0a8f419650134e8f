package dev.envelope.app.config.layer;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a properties file together with the lines that continue it; comments and blank lines
 * are none.
 *
 * @param text without leading blanks and continuation marks, escapes still in it
 * @param line where it begins, counted from one
 */
record LogicalLine(String text, int line) {

    private static final Pattern LEADING_BLANKS = Pattern.compile("^[ \t\f]+");
    private static final Pattern LAST_BACKSLASHES = Pattern.compile("\\\\*\\z");

    /** The logical lines of a file; {@code \n}, {@code \r} and {@code \r\n} all end a line. */
    static List<LogicalLine> split(String text) {
        List<LogicalLine> logical = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        int openedAt = 0;
        int number = 0;
        for (String natural : text.split("\r\n|\r|\n", -1)) {
            number++;
            String line = LEADING_BLANKS.matcher(natural).replaceFirst("");
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

    /** An odd number of backslashes at the end: the last one escapes no other. */
    private static boolean continues(String line) {
        Matcher backslashes = LAST_BACKSLASHES.matcher(line);
        return backslashes.find() && backslashes.group().length() % 2 == 1;
    }
}
