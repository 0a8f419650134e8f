package dev.envelope.idempotency.testkit;

/**
 * Where a record stands in the logs.
 *
 * <p>Threads: immutable.
 *
 * @param source the number that marks name its log by
 */
public record Place(int source, long offset) {

    @Override
    public String toString() {
        return source + ":" + offset;
    }
}
