package dev.envelope.app.ops.http;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.core.fetch.PartitionStatus;
import java.util.List;

/**
 * The page for who has no script: a few tables, drawn anew every five seconds.
 *
 * <p>Threads: stateless.
 */
final class PlainPage {

    private static final String HEAD =
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta http-equiv="refresh" content="5">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>%s · envelope</title><link rel="stylesheet" href="/page/page.css"></head>
            <body><main><h1>%s</h1>
            """;

    private PlainPage() {}

    static String of(ProcessStatus status, List<String> findings) {
        String application = escaped(status.identity().applicationId());
        StringBuilder page = new StringBuilder(HEAD.formatted(application, application));
        page.append("<p>%s, %s</p>\n".formatted(escaped(status.state()), ready(status)));
        page.append("<h2>Why is my lag stuck?</h2><ul class=\"findings\">\n");
        findings.forEach(it -> page.append("<li>%s</li>\n".formatted(escaped(it))));
        page.append("</ul>\n");
        table(
                page,
                List.of("saved", "rows", "messages per write", "lag", "in flight", "workers busy"),
                List.of(
                        List.of(
                                "%,d".formatted(status.totals().records()),
                                "%,d".formatted(status.totals().rows()),
                                "%.1f".formatted(status.totals().recordsPerWrite()),
                                "%,d".formatted(status.lag()),
                                "%,d".formatted(status.unacked()),
                                "%d of %d".formatted(status.pool().busy(), status.pool().size()))));
        table(
                page,
                List.of(
                        "partition",
                        "position",
                        "committed",
                        "lag",
                        "in flight",
                        "not fetched because"),
                status.partitions().stream().map(PlainPage::row).toList());
        return page.append("</main></body></html>\n").toString();
    }

    private static String ready(ProcessStatus status) {
        return status.notReadyBecause().isEmpty() ? "ready" : "not ready";
    }

    private static List<String> row(PartitionStatus partition) {
        return List.of(
                partition.partition().toString(),
                "%,d".formatted(partition.position()),
                "%,d".formatted(partition.committed()),
                partition.lag() < 0 ? "?" : "%,d".formatted(partition.lag()),
                "%,d".formatted(partition.unacked()),
                partition.pausedBecause());
    }

    private static void table(StringBuilder page, List<String> head, List<List<String>> rows) {
        page.append("<table><thead><tr>");
        head.forEach(it -> page.append("<th>%s</th>".formatted(escaped(it))));
        page.append("</tr></thead><tbody>\n");
        for (List<String> row : rows) {
            page.append("<tr>");
            row.forEach(it -> page.append("<td>%s</td>".formatted(escaped(it))));
            page.append("</tr>\n");
        }
        page.append("</tbody></table>\n");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
