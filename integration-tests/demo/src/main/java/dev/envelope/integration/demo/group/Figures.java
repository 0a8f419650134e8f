package dev.envelope.integration.demo.group;

/**
 * What an instance has done since it was started, and how it stands, as it says itself.
 *
 * <p>Threads: immutable.
 *
 * @param records whose effect was saved
 * @param rows that were written for them
 * @param partitions that it owns
 * @param lag records in their logs that are not durable
 */
record Figures(long records, long rows, int partitions, long lag, long oldestUnackedMillis) {

    static final Figures NONE = new Figures(0, 0, 0, 0, 0);
}
