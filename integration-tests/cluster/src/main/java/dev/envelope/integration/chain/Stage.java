package dev.envelope.integration.chain;

/** Where in the way of a batch a process ends, without a word to anybody. */
public enum Stage {
    /** Nowhere by itself: it is killed at a random moment. */
    ANY,
    /** New ids are taken, and nobody knows them. */
    AFTER_INIT,
    /** The records are on their way, and no batch is open in the database. */
    AFTER_SEND,
    /** The batch is open in the database, and Kafka was not asked to commit it. */
    BEFORE_COMMIT,
    /** Kafka was asked to commit the batch, and nobody has read the answer. */
    DURING_COMMIT,
    /** The batch is committed, and its rows are still there. */
    AFTER_COMMIT,
    /** Another relay was fenced, and was not taken over. */
    AFTER_FENCE
}
