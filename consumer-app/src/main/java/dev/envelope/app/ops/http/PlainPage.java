package dev.envelope.app.ops.http;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.status.PartitionStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/**
 * The page for who has no script: its most needed tables, drawn anew when they are asked for.
 *
 * <p>Threads: stateless.
 */
final class PlainPage {

    private static final String HEAD =
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>%s · envelope</title><link rel="icon" href="/page/icon.svg">
            <link rel="stylesheet" href="/page/page.css"></head>
            <body><main><h1>%s</h1>
            <p><a href="/plain">Look again</a></p>
            """;

    private static final int MOST_EVENTS = 20;

    private PlainPage() {}

    static String of(ProcessStatus status, List<String> findings, List<Timeline.Event> events) {
        String application = escaped(status.identity().applicationId());
        StringBuilder page = new StringBuilder(HEAD.formatted(application, application));
        page.append("<p>%s, %s</p>\n".formatted(escaped(status.state()), ready(status)));
        page.append("<h2>Why is my lag stuck?</h2><ul class=\"findings\">\n");
        findings.forEach(it -> page.append("<li>%s</li>\n".formatted(escaped(it))));
        page.append("</ul>\n");
        table(
                page,
                List.of("saved", "rows", "messages per write", "lag", "in flight", "ready"),
                List.of(
                        List.of(
                                "%,d".formatted(status.totals().records()),
                                "%,d".formatted(status.totals().rows()),
                                "%.1f".formatted(status.totals().recordsPerWrite()),
                                "%,d".formatted(status.lag()),
                                "%,d".formatted(status.unacked()),
                                ready(status))));
        table(
                page,
                List.of(
                        "partition",
                        "epoch",
                        "position",
                        "committed",
                        "end",
                        "lag",
                        "in flight",
                        "oldest, s",
                        "not fetched because"),
                status.partitions().stream().map(PlainPage::row).toList());
        table(
                page,
                List.of(
                        "workers",
                        "busy",
                        "restarts",
                        "handlers interrupted",
                        "stuck",
                        "unhandled"),
                List.of(
                        Stream.of(
                                        status.pool().size(),
                                        status.pool().busy(),
                                        status.pool().replaced(),
                                        status.pool().handlerTimeouts(),
                                        status.pool().stuck(),
                                        status.totals().setAside())
                                .map("%,d"::formatted)
                                .toList()));
        table(
                page,
                List.of("when", "kind", "what happened"),
                events.stream()
                        .limit(MOST_EVENTS)
                        .map(it -> List.of(said(it.at()), it.kind().name(), it.text()))
                        .toList());
        return page.append("</main></body></html>\n").toString();
    }

    private static String ready(ProcessStatus status) {
        return status.notReadyBecause().isEmpty() ? "ready" : "not ready";
    }

    private static List<String> row(PartitionStatus partition) {
        return List.of(
                partition.partition().toString(),
                "%,d".formatted(partition.epoch()),
                "%,d".formatted(partition.position()),
                "%,d".formatted(partition.committed()),
                known(partition.end()),
                known(partition.lag()),
                "%,d".formatted(partition.unacked()),
                partition.unacked() == 0
                        ? ""
                        : "%.1f".formatted(partition.oldestUnackedMillis() / 1000.0),
                (partition.stopped() ? "stopped: " : "") + partition.pausedBecause());
    }

    private static String said(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String known(long number) {
        return number < 0 ? "?" : "%,d".formatted(number);
    }

    private static void table(StringBuilder page, List<String> head, List<List<String>> rows) {
        page.append("<div class=\"scroll\"><table><thead><tr>");
        head.forEach(it -> page.append("<th>%s</th>".formatted(escaped(it))));
        page.append("</tr></thead><tbody>\n");
        for (List<String> row : rows) {
            page.append("<tr>");
            for (int i = 0; i < row.size(); i++) {
                page.append(
                        "<td data-label=\"%s\">%s</td>"
                                .formatted(escaped(head.get(i)), escaped(row.get(i))));
            }
            page.append("</tr>\n");
        }
        page.append("</tbody></table></div>\n");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
