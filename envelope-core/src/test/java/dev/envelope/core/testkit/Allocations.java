package dev.envelope.core.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Counts what the present thread allocates, as the JVM does. Before a compiler has taken objects
 * away it is most, so a bound that holds then always holds.
 */
public final class Allocations {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocations() {}

    /** The bytes that are allocated meanwhile. */
    public static long bytesOf(Runnable work) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
