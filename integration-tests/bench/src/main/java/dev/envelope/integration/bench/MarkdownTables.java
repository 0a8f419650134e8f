package dev.envelope.integration.bench;

import java.util.Arrays;
import java.util.List;

/**
 * The few kinds of lines that {@link MarkdownReport} writes, as HTML: headings, lists, tables,
 * paragraphs.
 *
 * <p>Threads: immutable.
 */
final class MarkdownTables {

    private MarkdownTables() {}

    static String html(String markdown) {
        StringBuilder html = new StringBuilder();
        List<String> lines = markdown.lines().toList();
        int i = 0;
        while (i < lines.size()) {
            String line = lines.get(i);
            int end = i;
            if (line.startsWith("|")) {
                end = endOf(lines, i, "|");
                table(html, lines.subList(i, end));
            } else if (line.startsWith("- ")) {
                end = endOf(lines, i, "- ");
                list(html, lines.subList(i, end));
            } else {
                end = i + 1;
                other(html, line);
            }
            i = end;
        }
        return html.toString();
    }

    private static int endOf(List<String> lines, int begin, String start) {
        int end = begin;
        while (end < lines.size() && lines.get(end).startsWith(start)) {
            end++;
        }
        return end;
    }

    private static void other(StringBuilder html, String line) {
        if (line.startsWith("### ")) {
            html.append("<h2>").append(Html.inline(line.substring(4))).append("</h2>\n");
        } else if (!line.isBlank()) {
            html.append("<p>").append(Html.inline(line)).append("</p>\n");
        }
    }

    private static void list(StringBuilder html, List<String> items) {
        html.append("<ul>\n");
        items.forEach(
                item ->
                        html.append("<li>")
                                .append(Html.inline(item.substring(2)))
                                .append("</li>\n"));
        html.append("</ul>\n");
    }

    /** The second row says which columns are numbers. */
    private static void table(StringBuilder html, List<String> rows) {
        List<String> columns = cells(rows.get(1));
        html.append("<div class=\"table\"><table>\n");
        for (int row = 0; row < rows.size(); row++) {
            if (row != 1) {
                row(html, cells(rows.get(row)), columns, row == 0 ? "th" : "td");
            }
        }
        html.append("</table></div>\n");
    }

    private static void row(
            StringBuilder html, List<String> cells, List<String> columns, String element) {
        html.append("<tr>");
        for (int i = 0; i < cells.size(); i++) {
            boolean isNumber = i < columns.size() && columns.get(i).endsWith(":");
            html.append('<').append(element).append(isNumber ? " class=\"number\">" : ">");
            html.append(Html.inline(cells.get(i))).append("</").append(element).append('>');
        }
        html.append("</tr>\n");
    }

    private static List<String> cells(String line) {
        String inner = line.strip().substring(1);
        return Arrays.stream(inner.split("\\|")).map(String::strip).toList();
    }
}
