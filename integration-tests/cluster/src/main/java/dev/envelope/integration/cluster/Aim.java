package dev.envelope.integration.cluster;

/** Where in the way of a record a process ends, without a word to anybody. */
public enum Aim {
    /** Nowhere by itself. */
    NONE(0, 0),
    /** A turn has its envelopes, nothing is folded. */
    AFTER_FETCH(1, 30),
    /** The handler has changed some of a turn's states, and half of one. */
    MID_FOLD(2, 1_500),
    /** The database has committed, nobody has been told. */
    AFTER_SAVE(3, 30),
    /** The turn's end is known to the poll thread, nothing is written down of it. */
    AFTER_ACK(4, 8),
    /** The checkpoint stands in the database, the commit is under way to Kafka. */
    DURING_COMMIT(5, 8);

    private final int number;
    private final int mostOccasions;

    Aim(int number, int mostOccasions) {
        this.number = number;
        this.mostOccasions = mostOccasions;
    }

    /** As it stands in a beat. */
    int number() {
        return number;
    }

    /** A process that is to end here lets at most so many occasions pass. */
    public int mostOccasions() {
        return mostOccasions;
    }
}
