package dev.envelope.integration.demo.group;

import java.time.Duration;

/**
 * Makes one thing go wrong after the other.
 *
 * <p>Threads: its own; it holds back while {@code calm} says so.
 */
public final class Conductor implements AutoCloseable {

    private final Trouble trouble;
    private final Thread thread = new Thread(this::run, "demo-conductor");
    private volatile boolean isCalm;

    public Conductor(Trouble trouble) {
        this.trouble = trouble;
    }

    public void start() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                Duration pause = trouble.pause();
                Thread.sleep(pause.toMillis()); // the rhythm is what is shown
                if (!isCalm) {
                    trouble.strike();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
        }
    }

    /** Nothing goes wrong by it until {@link #goOn}, but for what is under way. */
    public void rest() {
        isCalm = true;
    }

    public void goOn() {
        isCalm = false;
    }

    /** What has gone wrong so far, as a line. */
    public String told() {
        return trouble.told();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
