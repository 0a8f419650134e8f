package dev.envelope.integration.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What several rounds say of one quantity.
 *
 * <p>Threads: immutable.
 */
record Spread(double median, double min, double max) {

    static Optional<Spread> of(double[] values) {
        if (values.length == 0) {
            return Optional.empty();
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return Optional.of(new Spread(median, sorted[0], sorted[sorted.length - 1]));
    }

    /** As "median (min–max)". */
    String text(int decimals) {
        String number = "%,." + decimals + "f";
        return String.format(
                Locale.ROOT, number + " (" + number + "–" + number + ")", median, min, max);
    }
}
