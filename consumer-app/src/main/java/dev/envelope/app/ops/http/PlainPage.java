package dev.envelope.app.ops.http;

import dev.envelope.app.http.Answer;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.output.OutputStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The page without scripts: the most important tables, as plain HTML. */
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

    static Answer of(ProcessStatus status, List<String> findings, List<Timeline.Event> events) {
        String application = escaped(status.identity().applicationId());
        StringBuilder page = new StringBuilder(HEAD.formatted(application, application));
        page.append("<p>%s, %s</p>\n".formatted(escaped(status.state()), ready(status)));
        page.append("<h2>Why is my lag stuck?</h2><ul class=\"findings\">\n");
        findings.forEach(it -> page.append("<li>%s</li>\n".formatted(escaped(it))));
        page.append("</ul>\n");
        ProcessStatus.Totals totals = status.totals();
        table(
                page,
                "saved|rows|messages per write|lag|in flight|ready",
                List.of(
                        List.of(
                                said(totals.records()),
                                said(totals.rowsWritten()),
                                "%.1f".formatted(totals.recordsPerWrite()),
                                said(status.lag()),
                                said(status.unacked()),
                                ready(status))));
        table(
                page,
                "partition|epoch|position|committed|end|lag|in flight|oldest, s"
                        + "|not fetched because",
                status.partitions().stream().map(PlainPage::row).toList());
        ProcessStatus.Pool pool = status.pool();
        table(
                page,
                "workers|busy|restarts|handlers interrupted|stuck|unhandled",
                List.of(
                        List.of(
                                said(pool.size()),
                                said(pool.busy()),
                                said(pool.workersReplaced()),
                                said(pool.handlerTimeouts()),
                                said(pool.stuckWorkers()),
                                said(totals.setAside()))));
        OutputStatus outputs = status.outputs();
        table(
                page,
                "outputs waiting|oldest, s|sent|refused|batches in doubt|trouble",
                List.of(
                        List.of(
                                said(outputs.waiting().outputs()),
                                said(outputs.waiting().oldest().toSeconds()),
                                said(outputs.sent()),
                                said(outputs.refused()),
                                said(outputs.doubtful()),
                                outputs.trouble())));
        table(
                page,
                "when|kind|what happened",
                events.stream().limit(MOST_EVENTS).map(PlainPage::row).toList());
        page.append("</main></body></html>\n");
        return Answer.text(200, "text/html;charset=utf-8", page.toString());
    }

    private static String ready(ProcessStatus status) {
        return status.notReadyBecause().isEmpty() ? "ready" : "not ready";
    }

    private static List<String> row(PartitionStatus partition) {
        double oldest = partition.oldestUnackedMillis() / 1000.0;
        return List.of(
                partition.partition().toString(),
                said(partition.epoch()),
                said(partition.position()),
                said(partition.committed()),
                known(partition.end()),
                known(partition.lag()),
                said(partition.unacked()),
                partition.unacked() == 0 ? "" : "%.1f".formatted(oldest),
                (partition.stopped() ? "stopped: " : "") + partition.pausedBecause());
    }

    private static List<String> row(Timeline.Event event) {
        Instant at = Instant.ofEpochMilli(event.at()).truncatedTo(ChronoUnit.SECONDS);
        return List.of(at.toString(), event.kind().name(), event.text());
    }

    private static String said(long number) {
        return "%,d".formatted(number);
    }

    private static String known(long number) {
        return number < 0 ? "?" : said(number);
    }

    private static void table(StringBuilder page, String columns, List<List<String>> rows) {
        List<String> head = List.of(columns.split("\\|"));
        page.append("<div class=\"scroll\"><table><thead><tr>");
        head.forEach(it -> page.append("<th>%s</th>".formatted(escaped(it))));
        page.append("</tr></thead><tbody>\n");
        for (List<String> row : rows) {
            page.append("<tr>");
            for (int i = 0; i < row.size(); i++) {
                page.append("<td data-label=\"%s\">".formatted(escaped(head.get(i))))
                        .append("%s</td>".formatted(escaped(row.get(i))));
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
