package dev.envelope.integration.demo.payments;

/**
 * What happened between two looks, about a second.
 *
 * <p>Threads: immutable.
 *
 * @param sent payments that the broker has acknowledged
 * @param saved payments whose effect was saved
 * @param writes of rows
 */
record Second(long sent, long saved, long writes) {

    /** Payments that shared one write; 0 where nothing was written. */
    double perWrite() {
        return writes == 0 ? 0 : (double) saved / writes;
    }
}
