package dev.envelope.integration.bench;

import dev.envelope.integration.stack.page.Html;
import java.util.List;
import java.util.Locale;

/**
 * Horizontal bars as inline SVG: the median as a bar, least and most as a line on it.
 *
 * <p>Threads: immutable.
 *
 * @param unit what the numbers are of
 */
record BarChart(String title, String unit, List<Bar> bars) {

    /**
     * A contestant's bar.
     *
     * @param kind a class of the page's style: {@code ours}, {@code other} or {@code limit}
     */
    record Bar(String label, Spread value, String kind) {}

    private static final int WIDTH = 760;
    private static final int LABELS = 270;
    private static final int NUMBERS = 150;
    private static final int ROW = 24;
    private static final int THICKNESS = 14;

    String svg() {
        double most = bars.stream().mapToDouble(bar -> bar.value.max()).max().orElse(1);
        int height = bars.size() * ROW + 4;
        Html svg = new Html();
        svg.add(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
                WIDTH, height, Html.escape(title));
        for (int i = 0; i < bars.size(); i++) {
            row(svg, bars.get(i), i * ROW + 2, most <= 0 ? 1 : most);
        }
        return svg.add("</svg>\n").toString();
    }

    private void row(Html svg, Bar bar, int top, double most) {
        double scale = (WIDTH - LABELS - NUMBERS) / most;
        double middle = top + ROW / 2.0;
        svg.add(
                "<text class=\"label\" x=\"%d\" y=\"%.1f\">%s</text>",
                LABELS - 8, middle + 4, Html.escape(bar.label));
        svg.add(
                "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
                bar.kind,
                LABELS,
                middle - THICKNESS / 2.0,
                Math.max(1, bar.value.median() * scale),
                THICKNESS);
        svg.add(
                "<path class=\"spread\" d=\"M%.1f %.1fH%.1f\"/>",
                LABELS + bar.value.min() * scale, middle, LABELS + bar.value.max() * scale);
        svg.add(
                "<text x=\"%.1f\" y=\"%.1f\">%s %s</text>",
                LABELS + bar.value.max() * scale + 6,
                middle + 4,
                number(bar.value.median()),
                Html.escape(unit));
    }

    /** Three digits, as far as they say something. */
    static String number(double value) {
        String format = value >= 100 ? "%,.0f" : value >= 10 ? "%,.1f" : "%,.2f";
        return String.format(Locale.ROOT, format, value);
    }
}
