package dev.envelope.idempotency.redrive;

/**
 * How many messages one save of a redrive takes out. After a save that the database refuses it is
 * half as many, down to one, whose fault it is then; after each that it accepts, twice as many.
 *
 * <p>Threads: one thread, the desk's.
 */
final class StepSize {

    private static final int MOST = 500;

    private int messages = MOST;

    int messages() {
        return messages;
    }

    /**
     * Halves it.
     *
     * @param tried how many messages the refused save had
     * @return false if that was one
     */
    boolean halve(int tried) {
        messages = Math.max(1, tried / 2);
        return tried > 1;
    }

    void grow() {
        messages = Math.min(MOST, messages * 2);
    }
}
