package dev.envelope.idempotency.store.row;

import dev.envelope.idempotency.dedupe.Marks;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was saved last.
 *
 * <p>Nobody changes the arrays.
 *
 * @param version grows by one per save; {@link #ABSENT} where there is no row
 * @param state the state's JSON as UTF-8, or null where the key was deleted or only marked
 * @param ids the window of recent event ids in the form of {@code IdWindow}, or null without any
 * @param parked how many messages of the key are parked; as long as there are any, all that comes
 *     after them goes there, too
 * @param purged how far, of each source, rows of deleted keys were purged: of a source that the
 *     marks don't name, a message below that is one of a row that this key had before; told by a
 *     load, and no part of the row
 */
public record Snapshot(
        String key,
        long version,
        byte @Nullable [] state,
        Marks marks,
        byte @Nullable [] ids,
        int parked,
        Marks purged) {

    /** The version of a key that has no row. */
    public static final long ABSENT = 0;

    private static final long LEFT_OUT = -1;

    /** A row of which it does not matter how far others were purged. */
    public Snapshot(
            String key,
            long version,
            byte @Nullable [] state,
            Marks marks,
            byte @Nullable [] ids,
            int parked) {
        this(key, version, state, marks, ids, parked, Marks.NONE);
    }

    /** A key that has no row. */
    public static Snapshot absent(String key) {
        return new Snapshot(key, ABSENT, null, Marks.NONE, null, 0);
    }

    /** A row that a load has left out, since it had brought enough: it is to be asked for again. */
    public static Snapshot leftOut(String key) {
        return new Snapshot(key, LEFT_OUT, null, Marks.NONE, null, 0);
    }

    /** Whether nothing is known of the row but that it was left out. */
    public boolean isLeftOut() {
        return version == LEFT_OUT;
    }

    /** The same in a store that has purged rows so far. */
    public Snapshot inStorePurgedTo(Marks next) {
        return new Snapshot(key, version, state, marks, ids, parked, next);
    }

    /** The same with these marks, and nothing of what was purged. */
    public Snapshot marked(Marks wider) {
        return new Snapshot(key, version, state, wider, ids, parked);
    }

    /** The row of the next save if so many of its parked messages are taken out, and no more. */
    public Snapshot unparked(int messages) {
        return new Snapshot(key, version + 1, state, marks, ids, Math.max(0, parked - messages));
    }

    /** The row of the next save if it counts so many parked messages, and no more. */
    public Snapshot counting(int messages) {
        return new Snapshot(key, version + 1, state, marks, ids, messages);
    }

    /** What its state and its ids have together. */
    public long bytes() {
        byte[] its = state;
        byte[] itsIds = ids;
        return (its == null ? 0L : its.length) + (itsIds == null ? 0L : itsIds.length);
    }

    public boolean isAbsent() {
        return version == ABSENT;
    }
}
