package dev.envelope.integration.bench.client;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Times a run of this process: from the first poll that brought records to the moment at which so
 * many records are durable.
 *
 * <p>There is one per process, since the Kafka client makes its interceptors by itself.
 *
 * <p>Threads: thread-safe (atomics; what is measured is published by the latch).
 */
final class Stopwatch {

    static final Stopwatch OF_THIS_PROCESS = new Stopwatch();

    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicLong durable = new AtomicLong();
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile long expected = Long.MAX_VALUE;
    private volatile long startNanos;
    private volatile long startCpuNanos;
    private volatile long nanos;
    private volatile long cpuNanos;

    private Stopwatch() {}

    /** Before the run: how many records it ends with. */
    void expect(long records) {
        expected = records;
    }

    /** A poll has brought records. */
    void polled() {
        if (!started.get() && started.compareAndSet(false, true)) {
            startCpuNanos = processCpuNanos();
            startNanos = System.nanoTime();
        }
    }

    /** The transaction of so many records has committed. */
    void durable(long records) {
        long before = durable.getAndAdd(records);
        if (before < expected && before + records >= expected) {
            nanos = System.nanoTime() - startNanos;
            cpuNanos = processCpuNanos() - startCpuNanos;
            done.countDown();
        }
    }

    boolean isDone() {
        return done.getCount() == 0;
    }

    void awaitDone() throws InterruptedException {
        done.await();
    }

    long records() {
        return durable.get();
    }

    double seconds() {
        return nanos / 1e9;
    }

    /** Of all threads of this process in the time that was measured. */
    double cpuSeconds() {
        return cpuNanos / 1e9;
    }

    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
