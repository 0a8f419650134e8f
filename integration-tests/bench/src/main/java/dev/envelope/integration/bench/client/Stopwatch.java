package dev.envelope.integration.bench.client;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Times a run of this process: from the first poll that brought records to the moment at which so
 * many records are durable, or the time is up. Half of the records are when it is warm: what the
 * second half takes is told apart.
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
    private volatile long startMicros;
    private volatile long firstRowMicros;
    private volatile Reading start = Reading.NONE;
    private volatile Reading half = Reading.NONE;
    private volatile Reading end = Reading.NONE;

    /**
     * How far it is: the time, what the process has used of it, and for how long it stood still.
     */
    private record Reading(long nanos, long cpuNanos, long pausedMillis, long records) {

        static final Reading NONE = new Reading(0, 0, 0, 0);

        static Reading now(long records) {
            long paused = 0;
            for (GarbageCollectorMXBean it : ManagementFactory.getGarbageCollectorMXBeans()) {
                paused += it.getCollectionTime();
            }
            OperatingSystemMXBean system =
                    ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            return new Reading(System.nanoTime(), system.getProcessCpuTime(), paused, records);
        }

        Reading since(Reading before) {
            return new Reading(
                    nanos - before.nanos,
                    cpuNanos - before.cpuNanos,
                    pausedMillis - before.pausedMillis,
                    records - before.records);
        }

        void tell(Properties result, String prefix) {
            result.setProperty(prefix + "seconds", Double.toString(nanos / 1e9));
            result.setProperty(prefix + "cpuSeconds", Double.toString(cpuNanos / 1e9));
            result.setProperty(prefix + "pausedSeconds", Double.toString(pausedMillis / 1e3));
            result.setProperty(prefix + "records", Long.toString(records));
        }
    }

    private Stopwatch() {}

    /** Before the run: when it ends. */
    void expect(ClientSpec.Stop end) {
        stop = end;
    }

    /** A poll has brought records. */
    void polled() {
        if (!started.get() && started.compareAndSet(false, true)) {
            startMicros = Micros.now();
            start = Reading.now(0);
            begun.countDown();
        }
    }

    /** The transaction of so many records has committed. */
    void durable(long records) {
        long before = durable.getAndAdd(records);
        if (before == 0 && records > 0) {
            firstRowMicros = Micros.now();
        }
        long after = before + records;
        if (before < stop.records() / 2 && after >= stop.records() / 2) {
            half = Reading.now(after);
        }
        if (before < stop.records() && after >= stop.records()) {
            finish();
        }
    }

    /** Ends the run as it stands. */
    void finish() {
        if (finished.compareAndSet(false, true)) {
            end = Reading.now(durable.get());
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
        end.since(start).tell(result, "");
        if (half.records() > 0) {
            end.since(half).tell(result, "second.");
        }
        result.setProperty("startToPollMicros", Long.toString(startMicros - launchedMicros));
        result.setProperty("startToRowMicros", Long.toString(firstRowMicros - launchedMicros));
    }
}
