package dev.envelope.integration.bench;

import dev.envelope.integration.stack.page.Html;
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
        Html html = new Html();
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

    private static void other(Html html, String line) {
        if (line.startsWith("### ")) {
            html.line("<h2>%s</h2>", Html.inline(line.substring(4)));
        } else if (!line.isBlank()) {
            html.line("<p>%s</p>", Html.inline(line));
        }
    }

    private static void list(Html html, List<String> items) {
        html.add("<ul>\n");
        items.forEach(item -> html.line("<li>%s</li>", Html.inline(item.substring(2))));
        html.add("</ul>\n");
    }

    /** The second row says which columns are numbers. */
    private static void table(Html html, List<String> rows) {
        List<String> columns = cells(rows.get(1));
        html.add("<div class=\"table\"><table>\n");
        for (int row = 0; row < rows.size(); row++) {
            if (row != 1) {
                row(html, cells(rows.get(row)), columns, row == 0 ? "th" : "td");
            }
        }
        html.add("</table></div>\n");
    }

    private static void row(Html html, List<String> cells, List<String> columns, String element) {
        html.add("<tr>");
        for (int i = 0; i < cells.size(); i++) {
            boolean isNumber = i < columns.size() && columns.get(i).endsWith(":");
            html.add(
                    "<%s%s>%s</%s>",
                    element,
                    isNumber ? " class=\"number\"" : "",
                    Html.inline(cells.get(i)),
                    element);
        }
        html.add("</tr>\n");
    }

    private static List<String> cells(String line) {
        String inner = line.strip().substring(1);
        return Arrays.stream(inner.split("\\|")).map(String::strip).toList();
    }
}
