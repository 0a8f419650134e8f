package dev.envelope.integration.bench.client;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;

/**
 * What a full collection leaves of this process's heap.
 *
 * <p>Threads: immutable.
 */
final class LiveHeap {

    private static final long PAUSE_MILLIS = 500;

    private LiveHeap() {}

    /** Collects, and returns the bytes that are left. */
    static long now() {
        System.gc();
        long sum = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage afterCollection = pool.getCollectionUsage();
            if (pool.getType() == MemoryType.HEAP && afterCollection != null) {
                sum += afterCollection.getUsed();
            }
        }
        return sum;
    }

    /** Collects again and again while the run goes on, and returns the most that was left. */
    static long peakUntil(Stopwatch stopwatch) throws InterruptedException {
        long peak = 0;
        while (!stopwatch.isDone()) {
            peak = Math.max(peak, now());
            Thread.sleep(PAUSE_MILLIS); // between two measurements
        }
        return Math.max(peak, now());
    }
}
