package dev.envelope.integration.demo.payments;

import java.time.Duration;
import java.util.Optional;

/**
 * A burst every half minute, and before each a rest in which the rows are compared with what was
 * sent.
 *
 * <p>Threads: its own; guarded by this, one comparison at a time; {@code last} is volatile.
 */
final class Rounds implements AutoCloseable {

    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration EVERY = Duration.ofSeconds(30);
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(15);
    private static final Duration AT_THE_END_WITHIN = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Payments payments;
    private final Audit audit;
    private final Thread thread = new Thread(this::run, "demo-rounds");
    private volatile Optional<Comparison> last = Optional.empty();

    Rounds(Payments payments, Audit audit) {
        this.payments = payments;
        this.audit = audit;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Of the last moment in which all was settled. */
    Optional<Comparison> last() {
        return last;
    }

    private void run() {
        try {
            Thread.sleep(FIRST.toMillis()); // the quiet before it is to be seen
            while (true) {
                payments.burst();
                Thread.sleep(EVERY.toMillis()); // the rhythm is what is shown
                compareIfItSettles(SETTLED_WITHIN);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
        }
    }

    private void compareIfItSettles(Duration patience) throws InterruptedException {
        try {
            var unused = compare(patience);
        } catch (RuntimeException e) {
            // It has not settled in time: the last comparison stays the one that is told.
        }
    }

    /** Has nothing sent for as long as it takes. Fails if it does not settle in time. */
    synchronized Comparison compare(Duration patience) throws InterruptedException {
        payments.rest();
        try {
            long deadline = System.nanoTime() + patience.toNanos();
            while (!audit.isSettled()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            "too much is under way to compare: try again in a moment");
                }
                Thread.sleep(PAUSE.toMillis()); // a broker tells nobody of a commit
            }
            Comparison comparison = audit.compare(payments.sent());
            last = Optional.of(comparison);
            return comparison;
        } finally {
            payments.goOn();
        }
    }

    /** Compares a last time, if that takes a moment only. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            compareIfItSettles(AT_THE_END_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
