package dev.envelope.integration.bench.client;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Times a run of this process: from the first poll that brought records to the moment at which so
 * many records are durable, or the time is up.
 *
 * <p>There is one per process, since the Kafka client makes its interceptors by itself.
 *
 * <p>Threads: thread-safe (atomics; what is measured is published by the latch).
 */
final class Stopwatch {

    static final Stopwatch OF_THIS_PROCESS = new Stopwatch();

    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicBoolean finished = new AtomicBoolean();
    private final AtomicLong durable = new AtomicLong();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile ClientSpec.Stop stop = new ClientSpec.Stop(Long.MAX_VALUE, 0);
    private volatile long startNanos;
    private volatile long startCpuNanos;
    private volatile long startMicros;
    private volatile long firstRowMicros;
    private volatile long nanos;
    private volatile long cpuNanos;
    private volatile long counted;

    private Stopwatch() {}

    /** Before the run: when it ends. */
    void expect(ClientSpec.Stop end) {
        stop = end;
    }

    /** A poll has brought records. */
    void polled() {
        if (!started.get() && started.compareAndSet(false, true)) {
            startMicros = Micros.now();
            startCpuNanos = processCpuNanos();
            startNanos = System.nanoTime();
            begun.countDown();
        }
    }

    /** The transaction of so many records has committed. */
    void durable(long records) {
        long before = durable.getAndAdd(records);
        if (before == 0 && records > 0) {
            firstRowMicros = Micros.now();
        }
        if (before < stop.records() && before + records >= stop.records()) {
            finish();
        }
    }

    /** Ends the run as it stands. */
    void finish() {
        if (finished.compareAndSet(false, true)) {
            nanos = System.nanoTime() - startNanos;
            cpuNanos = processCpuNanos() - startCpuNanos;
            counted = durable.get();
            done.countDown();
        }
    }

    boolean isDone() {
        return finished.get();
    }

    void awaitDone() throws InterruptedException {
        if (stop.seconds() > 0) {
            begun.await();
            if (!done.await(stop.seconds(), TimeUnit.SECONDS)) {
                finish();
            }
        }
        done.await();
    }

    /** What it measured. */
    void tell(Properties result, long launchedMicros) {
        result.setProperty("seconds", Double.toString(nanos / 1e9));
        result.setProperty("cpuSeconds", Double.toString(cpuNanos / 1e9));
        result.setProperty("records", Long.toString(counted));
        result.setProperty("startToPollMicros", Long.toString(startMicros - launchedMicros));
        result.setProperty("startToRowMicros", Long.toString(firstRowMicros - launchedMicros));
    }

    /** Of all threads of this process. */
    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
