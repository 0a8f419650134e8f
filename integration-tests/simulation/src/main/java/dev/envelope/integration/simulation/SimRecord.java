package dev.envelope.integration.simulation;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record of a simulated log, and what the checks know it by.
 *
 * <p>Threads: immutable.
 *
 * @param place names it over all lives of its topic and all branches of its log
 * @param key its key as text, or null without one that can have a row
 * @param number of the event: events are numbered over all partitions, in their order; {@link
 *     #FIRING} of the firing of a timer
 * @param repeats the place of the record that it is a repetition of, or null
 */
record SimRecord(
        String place,
        @Nullable String key,
        int number,
        @Nullable String repeats,
        ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {

    /** The header that carries the place, so that a fold can tell where it has been. */
    static final String PLACE_HEADER = "place";

    /** The header that carries the event id. */
    static final String ID_HEADER = "id";

    /** The number that the firings of timers have. */
    static final int FIRING = -1;

    private static final int ONE_COMMAND_IN = 4;
    private static final byte POISON = 'p';
    private static final byte DEADLY = 'k';
    private static final byte REFUSED = 'r';

    long offset() {
        return record.offset();
    }

    int leaderEpoch() {
        return record.leaderEpoch().orElse(-1);
    }

    /** Whether the application itself has written it, since a timer was due. */
    boolean isFiring() {
        return number == FIRING;
    }

    boolean isTombstone() {
        return record.value() == null;
    }

    /** The id of the command that an event is; null if it is none. One event in four is one. */
    static @Nullable String command(int number) {
        return number >= 0 && number % ONE_COMMAND_IN == 0 ? "c" + number : null;
    }

    static @Nullable String command(SimRecord record) {
        return command(record.number());
    }

    /** Whether its bytes are no message. */
    static boolean isMalformed(byte @Nullable [] value) {
        if (value == null) {
            return false;
        }
        byte[] content = Formats.content(value);
        return content.length == 0 || content[0] != 'v';
    }

    /** Whether the handler can't do it before it has been mended. */
    static boolean isPoison(byte @Nullable [] value) {
        return isMarked(value, POISON);
    }

    /** Whether no process survives it before the handler has been mended. */
    static boolean isDeadly(byte @Nullable [] value) {
        return isMarked(value, DEADLY);
    }

    private static boolean isMarked(byte @Nullable [] value, byte mark) {
        if (value == null) {
            return false;
        }
        byte[] content = Formats.content(value);
        return content.length > 1 && content[1] == mark;
    }

    /** Whether the handler makes a state of it that can't be stored before that is mended. */
    static boolean isRefused(byte @Nullable [] value) {
        return isMarked(value, REFUSED);
    }

    @Override
    public String toString() {
        return place + '@' + leaderEpoch() + " of " + key;
    }
}
