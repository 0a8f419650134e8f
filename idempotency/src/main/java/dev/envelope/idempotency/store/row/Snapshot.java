package dev.envelope.idempotency.store.row;

import dev.envelope.idempotency.dedupe.Marks;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was saved last.
 *
 * <p>The arrays are never changed.
 *
 * @param version grows by one per save; {@link #ABSENT} if there is no row
 * @param state the state's JSON as UTF-8, or null if the key was deleted or has only marks
 * @param ids the window of recent event ids in the form of {@code IdWindow}, or null if empty
 * @param parked how many messages of the key are parked; while there are any, later messages are
 *     parked, too
 * @param purged for each source, the mark up to which rows of deleted keys were purged. If the row
 *     has no mark for a source, a message below this one was applied to a row that the key had
 *     before. Set by a load; not part of the row
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

    /** A row without purge marks. */
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

    /** A row that a load has left out because of its limit in bytes; it must be loaded again. */
    public static Snapshot leftOut(String key) {
        return new Snapshot(key, LEFT_OUT, null, Marks.NONE, null, 0);
    }

    /** Whether the load has left the row out. */
    public boolean isLeftOut() {
        return version == LEFT_OUT;
    }

    /** The same with these purge marks. */
    public Snapshot inStorePurgedTo(Marks next) {
        return new Snapshot(key, version, state, marks, ids, parked, next);
    }

    /** The same with these marks, and without purge marks. */
    public Snapshot marked(Marks wider) {
        return new Snapshot(key, version, state, wider, ids, parked);
    }

    /** The row after a save that only takes out this many parked messages. */
    public Snapshot unparked(int messages) {
        return new Snapshot(key, version + 1, state, marks, ids, Math.max(0, parked - messages));
    }

    /** The row after a save that only sets the count of parked messages. */
    public Snapshot counting(int messages) {
        return new Snapshot(key, version + 1, state, marks, ids, messages);
    }

    /** The size of its state and ids. */
    public long bytes() {
        byte[] its = state;
        byte[] itsIds = ids;
        return (its == null ? 0L : its.length) + (itsIds == null ? 0L : itsIds.length);
    }

    public boolean isAbsent() {
        return version == ABSENT;
    }
}
