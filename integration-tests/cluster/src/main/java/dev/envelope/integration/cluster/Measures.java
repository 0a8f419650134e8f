package dev.envelope.integration.cluster;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.envelope.integration.cluster.Beat.Count;
import java.lang.management.ManagementFactory;

/**
 * What a process holds at a moment.
 *
 * <p>Threads: immutable.
 *
 * @param heapBytes that live on its heap, after a collection
 * @param openFiles files, pipes and sockets
 */
public record Measures(long heapBytes, long threads, long openFiles) {

    /** Of this process; collects its garbage first. */
    static Measures take() {
        System.gc();
        return new Measures(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                ManagementFactory.getOperatingSystemMXBean()
                                instanceof UnixOperatingSystemMXBean system
                        ? system.getOpenFileDescriptorCount()
                        : 0);
    }

    static Measures readFrom(Beat beat) {
        return new Measures(
                beat.get(Count.HEAP_BYTES), beat.get(Count.THREADS), beat.get(Count.OPEN_FILES));
    }

    void writeTo(Beat beat) {
        beat.set(Count.HEAP_BYTES, heapBytes);
        beat.set(Count.THREADS, threads);
        beat.set(Count.OPEN_FILES, openFiles);
    }
}
