package dev.envelope.integration.bench.client;

import java.util.Properties;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * From the moment at which a record should have been sent to the commit of its transaction. The
 * sender keeps to its timetable whatever happens, so that a stall is counted for all whom it held
 * up, those who were sent late because of it too.
 *
 * <p>Threads: thread-safe (the histogram is).
 */
public final class Latencies {

    /** The header with that moment; a record without it, sent to warm up, is not counted. */
    public static final String SENT = "sent";

    private static final long MOST_MICROS = 600_000_000L;
    private static final int DIGITS = 3;

    private final Histogram histogram = new ConcurrentHistogram(MOST_MICROS, DIGITS);

    void durable(Headers headers, long nowMicros) {
        Header sent = headers.lastHeader(SENT);
        if (sent != null) {
            long micros = nowMicros - Micros.of(sent.value());
            histogram.recordValue(Math.min(MOST_MICROS, Math.max(0, micros)));
        }
    }

    void tell(Properties result) {
        result.setProperty("latencies", Long.toString(histogram.getTotalCount()));
        result.setProperty("p50Micros", Long.toString(histogram.getValueAtPercentile(50)));
        result.setProperty("p99Micros", Long.toString(histogram.getValueAtPercentile(99)));
        result.setProperty("p999Micros", Long.toString(histogram.getValueAtPercentile(99.9)));
        result.setProperty("maxMicros", Long.toString(histogram.getMaxValue()));
    }
}
