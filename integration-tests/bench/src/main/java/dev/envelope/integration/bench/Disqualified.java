package dev.envelope.integration.bench;

/** A run whose rows are wrong, or that did not come to its end: it counts for nothing. */
final class Disqualified extends Exception {

    private static final long serialVersionUID = 1L;

    Disqualified(String why) {
        super(why);
    }
}
