package dev.envelope.integration.soak;

import dev.envelope.integration.stack.page.Html;
import java.util.List;

/**
 * The report for people: one page that needs nothing but itself, in the light and in the dark.
 *
 * <p>Threads: one at a time.
 */
final class SoakPage {

    private static final String STYLE =
            """
            :root { --ground: #fff; --ink: #1c2430; --soft: #5b6675; --line: #e3e7ec; --panel: #f6f8fa;
              --good: #12805c; --bad: #c62828; --odd: #a15c00; --rate: #3b6fb6; --lag: #b4472e;
              --consumer: #c77700; --broker: #7a4fc4; --postgres: #2f6fb2; --network: #0f8a76; }
            @media (prefers-color-scheme: dark) {
              :root { --ground: #12161c; --ink: #e6eaf0; --soft: #98a3b3; --line: #2a313c; --panel: #1a2029;
                --good: #4cc38a; --bad: #ff7b72; --odd: #e3a84b; --rate: #6ea3e8; --lag: #f0876d;
                --consumer: #f0a63a; --broker: #b394f0; --postgres: #76aef0; --network: #4fc9b4; } }
            * { box-sizing: border-box; }
            body { margin: 0; background: var(--ground); color: var(--ink);
              font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
            main { max-width: 1160px; margin: 0 auto; padding: 28px 24px 60px; }
            h1 { font-size: 34px; line-height: 1.15; margin: 0 0 4px; letter-spacing: -.01em; }
            h2 { font-size: 17px; margin: 34px 0 8px; }
            .GREEN { color: var(--good); } .RED { color: var(--bad); } .INVALID { color: var(--odd); }
            p { margin: 4px 0; color: var(--soft); }
            code, pre { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
            pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
              padding: 12px 14px; overflow-x: auto; white-space: pre-wrap; margin: 8px 0; }
            .figures { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 8px; }
            .figures div { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
              padding: 10px 16px; min-width: 132px; }
            .figures b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; }
            .figures span { color: var(--soft); font-size: 13px; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
            th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
            th { color: var(--soft); font-weight: 500; font-size: 13px; }
            td.n, th.n { text-align: right; }
            td.yes { color: var(--good); } td.no { color: var(--bad); font-weight: 600; }
            svg { width: 100%; min-width: 720px; height: auto; display: block; }
            svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
            svg .title { fill: var(--ink); font-weight: 600; }
            svg .tick { text-anchor: end; } svg .time { text-anchor: middle; }
            svg .grid { stroke: var(--line); stroke-width: 1; } svg .phase { fill: var(--panel); }
            svg .rate { fill: var(--rate); fill-opacity: .28; stroke: var(--rate); stroke-width: 1.4; }
            svg .lag { fill: none; stroke: var(--lag); stroke-width: 1.6; stroke-linejoin: round; }
            svg rect.consumer { fill: var(--consumer); } svg rect.broker { fill: var(--broker); }
            svg rect.postgres { fill: var(--postgres); } svg rect.network { fill: var(--network); }
            svg rect.heal { fill-opacity: .3; } svg rect.missed { fill-opacity: .45; }
            """;

    private final SoakResult result;
    private final Html page = new Html();

    SoakPage(SoakResult result) {
        this.result = result;
    }

    String page() {
        SoakVerdict.Word word = result.verdict().word();
        page.add("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
                .add("<meta name=\"viewport\" content=\"width=device-width\">\n")
                .add("<title>Soak %s, seed %d</title>\n", word, result.plan().seed())
                .add("<style>\n")
                .add(STYLE)
                .add("</style></head><body><main>\n");
        page.line("<h1 class=\"%s\">%s</h1>", word, word);
        page.line("<p>%s</p>", Html.escape(sentence(word)));
        figures();
        failures();
        page.line("<h2>Over time</h2><div class=\"scroll\">%s</div>", new TimeChart(result).svg());
        tallies();
        checks("What had to hold", result.verdict().promises());
        checks("What had to happen, or nothing is proved", result.verdict().conditions());
        page.line("<h2>Again</h2><pre>%s</pre>", Html.escape(result.plan().command()));
        page.add("</main></body></html>\n");
        return page.toString();
    }

    private static String sentence(SoakVerdict.Word word) {
        return switch (word) {
            case GREEN -> "Whatever broke, every promise held, and there was enough to break them.";
            case RED -> "A promise was broken.";
            case INVALID -> "Nothing was found, but too little happened for that to mean anything.";
        };
    }

    private void figures() {
        Course course = result.course();
        long landed = course.strikes().stream().filter(Strike::landed).count();
        page.add("<div class=\"figures\">");
        figure(
                "%,d s".formatted((course.faultsUntilMillis() - course.faultsFromMillis()) / 1_000),
                "under faults");
        figure(Integer.toString(course.strikes().size()), "faults, " + landed + " met work");
        figure("%,d".formatted(course.sent()), "records sent");
        figure("%,d".formatted(result.done()), "messages done");
        figure("%.1f s".formatted(course.healMillis() / 1_000.0), "to lag 0 at the end");
        figure(Long.toString(result.plan().seed()), "seed");
        page.add("</div>\n");
    }

    private void figure(String value, String caption) {
        page.line("<div><b>%s</b><span>%s</span></div>", Html.escape(value), Html.escape(caption));
    }

    private void failures() {
        List<Check> failed = result.verdict().failed();
        if (failed.isEmpty() && result.findings().isEmpty()) {
            return;
        }
        page.add("<h2>What was found</h2>\n<pre>");
        failed.forEach(
                check ->
                        page.line(
                                "%s: %s (%s)",
                                Html.escape(check.name()),
                                Html.escape(check.found()),
                                Html.escape(check.meaning())));
        result.findings().forEach(line -> page.line("%s", Html.escape(line)));
        page.add("</pre>\n");
    }

    private void tallies() {
        page.add("<h2>Faults by kind</h2><div class=\"scroll\"><table><tr><th>where</th>")
                .add("<th>what</th><th class=\"n\">struck</th><th class=\"n\">met work</th>")
                .add("<th class=\"n\">healed within (median)</th>")
                .add("<th class=\"n\">worst</th></tr>\n");
        for (Tally tally : Tally.of(result)) {
            page.line(
                    "<tr><td>%s</td><td>%s</td><td class=\"n\">%d</td><td class=\"n\">%d</td>"
                            + "<td class=\"n\">%.1f s</td><td class=\"n\">%.1f s</td></tr>",
                    tally.kind().place().title(),
                    Html.escape(tally.kind().title()),
                    tally.struck(),
                    tally.landed(),
                    tally.medianHealMillis() / 1_000.0,
                    tally.worstHealMillis() / 1_000.0);
        }
        page.add("</table></div>\n");
    }

    private void checks(String title, List<Check> checks) {
        page.line("<h2>%s</h2><div class=\"scroll\"><table>", Html.escape(title));
        for (Check check : checks) {
            page.line(
                    "<tr><td><code>%s</code></td><td>%s</td><td class=\"n\">%s</td>"
                            + "<td class=\"%s\">%s</td></tr>",
                    Html.escape(check.name()),
                    Html.escape(check.meaning()),
                    Html.escape(check.found()),
                    check.passed() ? "yes" : "no",
                    check.passed() ? "✓" : "✗");
        }
        page.add("</table></div>\n");
    }
}
