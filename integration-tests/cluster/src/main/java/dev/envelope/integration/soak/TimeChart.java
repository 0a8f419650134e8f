package dev.envelope.integration.soak;

import dev.envelope.integration.stack.page.Html;
import java.util.List;
import java.util.Locale;

/**
 * The picture of a run: throughput, lag, and the faults as bars below, over the same time.
 *
 * <p>Threads: one at a time.
 */
final class TimeChart {

    private static final int WIDTH = 1_100;
    private static final int LEFT = 76;
    private static final int RIGHT = 12;
    private static final int PLOT = 130;
    private static final int TITLE = 30;
    private static final int LANE = 26;
    private static final int LEAST_BAR = 3;
    private static final int SMOOTHED = 4;

    private final SoakResult result;
    private final List<Timeline.Sample> samples;
    private final double millis;
    private final Html svg = new Html();

    TimeChart(SoakResult result) {
        this.result = result;
        this.samples = result.samples();
        this.millis = samples.isEmpty() ? 1 : (double) samples.get(samples.size() - 1).millis();
    }

    String svg() {
        int lanes = FaultKind.Place.values().length;
        int faultsTop = 2 * (TITLE + PLOT) + TITLE;
        int height = faultsTop + lanes * LANE + 34;
        svg.line(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Throughput, lag and faults"
                        + " over time\">",
                WIDTH, height);
        faultTime(height - 26);
        throughput(TITLE);
        lag(2 * TITLE + PLOT);
        faults(faultsTop);
        seconds(faultsTop + lanes * LANE);
        svg.line("</svg>");
        return svg.toString();
    }

    /** The time in which faults struck, shaded. */
    private void faultTime(int height) {
        double from = x((double) result.course().faultsFromMillis());
        double until = x((double) result.course().faultsUntilMillis());
        svg.line(
                "<rect class=\"phase\" x=\"%.1f\" y=\"8\" width=\"%.1f\" height=\"%d\"/>",
                from, until - from, height - 8);
    }

    private void throughput(int top) {
        double most = 1;
        for (int i = SMOOTHED; i < samples.size(); i++) {
            most = Math.max(most, rate(i));
        }
        double scale = axis(top, "records done per second", most);
        StringBuilder points = new StringBuilder();
        point(points, LEFT, top + PLOT);
        for (int i = SMOOTHED; i < samples.size(); i++) {
            point(points, x((double) samples.get(i).millis()), top + PLOT - rate(i) / scale * PLOT);
        }
        point(points, x(millis), top + PLOT);
        svg.line("<polygon class=\"rate\" points=\"%s\"/>", points);
    }

    private double rate(int i) {
        Timeline.Sample now = samples.get(i);
        Timeline.Sample before = samples.get(i - SMOOTHED);
        return (now.done() - before.done()) * 1_000.0 / Math.max(1, now.millis() - before.millis());
    }

    /** With gaps where the broker could not be asked. */
    private void lag(int top) {
        long most = samples.stream().mapToLong(it -> it.lag().orElse(0)).max().orElse(1);
        double scale = axis(top, "lag: records not committed", (double) most);
        StringBuilder points = new StringBuilder();
        for (Timeline.Sample sample : samples) {
            if (sample.lag().isPresent()) {
                point(
                        points,
                        x((double) sample.millis()),
                        top + PLOT - (double) sample.lag().getAsLong() / scale * PLOT);
            } else {
                line(points);
            }
        }
        line(points);
    }

    private void line(StringBuilder points) {
        if (points.length() > 0) {
            svg.line("<polyline class=\"lag\" points=\"%s\"/>", points);
            points.setLength(0);
        }
    }

    /** Draws it, and returns the value at its top. */
    private double axis(int top, String title, double most) {
        double step = step(most / 3);
        double scale = Math.max(step, Math.ceil(most / step) * step);
        svg.line("<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>", LEFT, top - 8, title);
        for (double value = 0; value <= scale + step / 2; value += step) {
            double y = top + PLOT - value / scale * PLOT;
            svg.line(
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    LEFT, WIDTH - RIGHT, y, y);
            svg.line(
                    "<text class=\"tick\" x=\"%d\" y=\"%.1f\">%,.0f</text>",
                    LEFT - 8, y + 4, value);
        }
        return scale;
    }

    /** A round number, at least so large. */
    private static double step(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(1, least))));
        for (double factor : new double[] {1, 2, 5, 10}) {
            if (factor * power >= least) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** Each fault is a bar, and behind it, paler, the time until all was done again. */
    private void faults(int top) {
        svg.line(
                "<text class=\"title\" x=\"%d\" y=\"%d\">faults, and the time to heal</text>",
                LEFT, top - 8);
        for (FaultKind.Place place : FaultKind.Place.values()) {
            int y = top + lane(place) * LANE;
            svg.line(
                    "<text class=\"tick\" x=\"%d\" y=\"%d\">%s</text>",
                    LEFT - 8, y + LANE / 2 + 4, place.title());
            svg.line(
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
                    LEFT, WIDTH - RIGHT, y + LANE, y + LANE);
        }
        for (Strike strike : result.course().strikes()) {
            bar(strike, top);
        }
    }

    private void bar(Strike strike, int top) {
        String place = strike.kind().place().name().toLowerCase(Locale.ROOT);
        int y = top + lane(strike.kind().place()) * LANE + 5;
        double from = x((double) strike.fromMillis());
        double until = Math.max(from + LEAST_BAR, x((double) strike.untilMillis()));
        long heal = result.heals().getOrDefault(strike, 0L);
        double healed = Math.max(until, x((double) (strike.untilMillis() + heal)));
        svg.line(
                "<g><title>%s at %.1f s, for %.1f s%s; healed %.1f s later</title>",
                Html.escape(strike.kind().title()),
                strike.fromMillis() / 1_000.0,
                (strike.untilMillis() - strike.fromMillis()) / 1_000.0,
                strike.landed() ? "" : ", found no work",
                heal / 1_000.0);
        svg.line(
                "<rect class=\"heal %s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                place, until, y + 4, healed - until, LANE - 18);
        svg.line(
                "<rect class=\"%s%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/></g>",
                place, strike.landed() ? "" : " missed", from, y, until - from, LANE - 10);
    }

    private static int lane(FaultKind.Place place) {
        return List.of(FaultKind.Place.values()).indexOf(place);
    }

    private void seconds(int top) {
        double step = step(millis / 1_000 / 12);
        for (double second = 0; second <= millis / 1_000; second += step) {
            svg.line(
                    "<text class=\"time\" x=\"%.1f\" y=\"%d\">%.0f s</text>",
                    x(second * 1_000), top + 18, second);
        }
    }

    private double x(double at) {
        return LEFT + Math.min(1, at / millis) * (WIDTH - LEFT - RIGHT);
    }

    private static void point(StringBuilder points, double x, double y) {
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
    }
}
