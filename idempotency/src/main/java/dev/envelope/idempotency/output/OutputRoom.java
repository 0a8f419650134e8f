package dev.envelope.idempotency.output;

import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether more outputs may be saved. When too many wait for Kafka, keys whose handler may emit have
 * to wait. The relay measures once a second what waits; in between the workers add what they save,
 * and the relay takes off what it sends. So the limit can be exceeded only by what other processes
 * save within a second.
 *
 * <p>Threads: thread-safe (atomics, a concurrent map). The next measurement corrects a lost update.
 */
public final class OutputRoom {

    /** How many outputs may wait, and how many bytes. */
    public record Limits(long maxOutputs, long maxBytes) {

        public Limits {
            if (maxOutputs < 1 || maxBytes < 1) {
                throw new IllegalArgumentException("outputs need room for something");
            }
        }
    }

    private final Limits limits;
    private final Runnable relay;
    private final AtomicLong outputs = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Object, Waiting> measured = new ConcurrentHashMap<>(); // by who has measured
    private volatile boolean isFull;

    /**
     * @param relay is woken when outputs were saved; must return at once
     */
    public OutputRoom(Limits limits, Runnable relay) {
        this.limits = limits;
        this.relay = relay;
    }

    /** Without limit: for a handler that emits nothing. */
    public static OutputRoom endless() {
        return new OutputRoom(new Limits(Long.MAX_VALUE, Long.MAX_VALUE), () -> {});
    }

    public boolean isOpen() {
        return !isFull;
    }

    /** Counts outputs that were saved, and wakes the relay. */
    public void saved(List<Output> saved) {
        if (!saved.isEmpty()) {
            long savedBytes = 0;
            for (Output output : saved) { // for each change
                savedBytes += output.bytes();
            }
            added(saved.size(), savedBytes);
            relay.run();
        }
    }

    void added(long count, long addedBytes) {
        judge(outputs.addAndGet(count), bytes.addAndGet(addedBytes));
    }

    /** Counts outputs that wait no longer. */
    void gone(long count, long goneBytes) {
        judge(outputs.addAndGet(-count), bytes.addAndGet(-goneBytes));
    }

    /**
     * Sets what waits in all processes.
     *
     * @param by who has measured its part of that
     */
    void measured(Object by, Waiting waiting) {
        measured.put(by, waiting);
        add();
    }

    /**
     * What was measured at one of several places counts no more while that is away. Nothing can be
     * saved there, and what is there must not stop keys of the others.
     */
    void withoutPlaceOf(Object by) {
        if (measured.size() > 1 && measured.remove(by) != null) {
            add();
        }
    }

    private void add() {
        outputs.set(measured.values().stream().mapToLong(Waiting::outputs).sum());
        bytes.set(measured.values().stream().mapToLong(Waiting::bytes).sum());
        judge(outputs.get(), bytes.get());
    }

    /** When it is full, it opens only after a quarter is free, so that it does not flap. */
    private void judge(long nowOutputs, long nowBytes) {
        isFull = nowOutputs >= bound(limits.maxOutputs()) || nowBytes >= bound(limits.maxBytes());
    }

    private long bound(long max) {
        return isFull ? max - max / 4 : max;
    }

    Limits limits() {
        return limits;
    }
}
