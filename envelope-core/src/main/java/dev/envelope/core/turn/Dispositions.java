package dev.envelope.core.turn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The dispositions of the first messages of an envelope, in their order. If all are equal, which is
 * usual, only their number is kept.
 *
 * <p>Threads: immutable.
 */
public final class Dispositions {

    private static final Dispositions[] APPLIED = new Dispositions[64]; // larger envelopes are rare

    static {
        Arrays.setAll(APPLIED, size -> new Dispositions(Disposition.APPLIED, null, size));
    }

    /** No message is done. */
    public static final Dispositions NONE = APPLIED[0];

    private final Disposition first;
    private final Disposition @Nullable [] each; // null if all are like the first
    private final int size;

    private Dispositions(Disposition first, Disposition @Nullable [] each, int size) {
        this.first = first;
        this.each = each;
        this.size = size;
    }

    /** This many applied messages. */
    public static Dispositions applied(int messages) {
        return messages < APPLIED.length
                ? APPLIED[messages]
                : new Dispositions(Disposition.APPLIED, null, messages);
    }

    /** How many messages are done. */
    public int size() {
        return size;
    }

    /** The disposition of the message at this index. */
    public Disposition of(int place) {
        if (place >= size) {
            throw new IndexOutOfBoundsException(place + " of " + size);
        }
        return each == null ? first : each[place];
    }

    /** How many messages have this disposition. */
    public int count(Disposition wanted) {
        if (each == null) {
            return first == wanted ? size : 0;
        }
        int count = 0;
        for (int i = 0; i < size; i++) {
            count += each[i] == wanted ? 1 : 0;
        }
        return count;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ", ").append(of(i));
        }
        return text.toString();
    }

    /** Collects dispositions, one message after the other. Threads: one thread. */
    public static final class Tally {

        private Disposition first = Disposition.APPLIED;
        private Disposition @Nullable [] each;
        private int size;

        /** How many messages are done so far. */
        public int size() {
            return size;
        }

        /** Starts with this many applied messages. */
        public static Tally after(int applied) {
            Tally tally = new Tally();
            tally.size = applied;
            return tally;
        }

        /** Adds the disposition of the next message. */
        public void add(Disposition next) {
            if (size == 0) {
                first = next;
            } else if (each == null && next != first) {
                each = new Disposition[Math.max(8, 2 * size)];
                Arrays.fill(each, 0, size, first);
            }
            if (each != null) {
                if (size == each.length) {
                    each = Arrays.copyOf(each, 2 * size);
                }
                each[size] = next;
            }
            size++;
        }

        /** What was added so far; nothing may be added afterwards. */
        public Dispositions done() {
            return each == null && first == Disposition.APPLIED
                    ? applied(size)
                    : new Dispositions(first, each, size);
        }
    }
}
