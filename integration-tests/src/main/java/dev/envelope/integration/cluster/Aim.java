package dev.envelope.integration.cluster;

/** Where in the way of a record a process ends, without a word to anybody. */
public enum Aim {
    /** Nowhere by itself. */
    NONE(0),
    /** A turn has its envelopes, nothing is folded. */
    AFTER_FETCH(30),
    /** The handler has changed some of a turn's states, and half of one. */
    MID_FOLD(1_500),
    /** The database has committed, nobody has been told. */
    AFTER_SAVE(30),
    /** The turn's end is known to the poll thread, nothing is written down of it. */
    AFTER_ACK(8),
    /** The checkpoint stands in the database, the commit is under way to Kafka. */
    DURING_COMMIT(8);

    private final int mostOccasions;

    Aim(int mostOccasions) {
        this.mostOccasions = mostOccasions;
    }

    /** A process that is to end here lets at most so many occasions pass. */
    int mostOccasions() {
        return mostOccasions;
    }
}
