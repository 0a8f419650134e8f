package dev.envelope.integration.demo;

import java.util.Locale;

/**
 * What the program has done, as it says itself, at one moment.
 *
 * <p>Threads: immutable.
 *
 * @param atNanos when
 * @param records whose effect was saved
 * @param rows that were written for them
 * @param lag records in the log that are not durable
 */
record Figures(long atNanos, long records, long rows, long lag, long oldestUnackedMillis) {

    static final Figures NONE = new Figures(0, 0, 0, 0, 0);

    /** One line about the time since {@code before}. */
    String since(Figures before) {
        double seconds = (atNanos - before.atNanos) / 1e9;
        double perSecond = before.atNanos == 0 ? 0 : (records - before.records) / seconds;
        long written = rows - before.rows;
        double perWrite = written == 0 ? 0 : (double) (records - before.records) / written;
        return String.format(
                Locale.ROOT,
                "%,9.0f records/s  %6.1f records per write  lag %,7d  oldest unacked %,5d ms"
                        + "  total %,d",
                perSecond,
                perWrite,
                lag,
                oldestUnackedMillis,
                records);
    }
}
