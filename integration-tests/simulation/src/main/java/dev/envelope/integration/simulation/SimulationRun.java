package dev.envelope.integration.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * Many seeds on a few threads, added up.
 *
 * <p>Threads: each seed runs on one thread; the sums are guarded by this.
 */
final class SimulationRun {

    private final long from;
    private final long count;
    private final LongFunction<Simulation.Result> world;
    private final FaultCounts counts = new FaultCounts();
    private final List<Simulation.Result> violations = new ArrayList<>();
    private final AtomicLong next;
    private long poorSeeds;

    /**
     * @param world runs a seed
     */
    SimulationRun(long from, long count, LongFunction<Simulation.Result> world) {
        this.from = from;
        this.count = count;
        this.world = world;
        this.next = new AtomicLong(from);
    }

    /** Runs all of them, or until this many violations were found. */
    void run(int threads, int enough) throws InterruptedException {
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> work(enough), "simulation-" + i);
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            thread.join();
        }
    }

    private void work(int enough) {
        long seed = next.getAndIncrement();
        while (seed < from + count && violations().size() < enough) {
            Simulation.Result result = world.apply(seed);
            add(result);
            seed = next.getAndIncrement();
        }
    }

    private synchronized void add(Simulation.Result result) {
        counts.add(result.counts());
        if (result.violation().isPresent()) {
            violations.add(result);
        } else if (result.counts().messages() < 200 || result.counts().total() < 3) {
            poorSeeds++;
        }
    }

    synchronized List<Simulation.Result> violations() {
        return List.copyOf(violations);
    }

    FaultCounts counts() {
        return counts;
    }

    /** Seeds that had fewer than 200 messages or 3 faults. */
    long poorSeeds() {
        return poorSeeds;
    }
}
