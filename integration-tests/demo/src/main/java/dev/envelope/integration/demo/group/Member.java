package dev.envelope.integration.demo.group;

/**
 * An instance, as it was seen a moment ago.
 *
 * <p>Threads: immutable.
 *
 * @param records that it has saved since the look before
 * @param rows that it has written for them
 */
public record Member(
        int number,
        String url,
        State state,
        int partitions,
        long lag,
        long oldestUnackedMillis,
        long records,
        long rows) {

    public enum State {
        STARTS,
        WORKS,
        DEAD
    }

    public static Member dead(int number, String url) {
        return new Member(number, url, State.DEAD, 0, 0, 0, 0, 0);
    }
}
