package dev.envelope.integration.demo.inventory;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What has come of the orders, and how long callers have waited.
 *
 * <p>Threads: guarded by this.
 */
final class Counts {

    private static final int MOST = 10_000;

    private final long[] millis = new long[MOST];
    private long orders;
    private long answers;
    private long rejected;
    private final Set<String> failures = new TreeSet<>();
    private int fresh;

    /**
     * Since the beginning, but for the times.
     *
     * @param failures what gateways said of commands that get no answer
     * @param halfMillis half of the callers since the look before waited no longer
     * @param slowMillis 99 of 100 of them waited no longer
     */
    record Seen(
            long orders,
            long answers,
            long rejected,
            List<String> failures,
            long halfMillis,
            long slowMillis) {}

    synchronized void ordered() {
        orders++;
    }

    synchronized void answered(ItemBook.Event answer, long tookMillis) {
        answers++;
        if (answer.what().equals("rejected")) {
            rejected++;
        }
        if (fresh < MOST) {
            millis[fresh++] = tookMillis;
        }
    }

    synchronized void failed(String why) {
        failures.add(why);
    }

    /** What there is; the times begin anew. */
    synchronized Seen look() {
        long[] times = Arrays.copyOf(millis, fresh);
        Arrays.sort(times);
        fresh = 0;
        return new Seen(
                orders, answers, rejected, List.copyOf(failures), part(times, 50), part(times, 99));
    }

    private static long part(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percent / 100];
    }
}
