package dev.envelope.idempotency.store;

import dev.envelope.idempotency.dedupe.Marks;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was saved last.
 *
 * <p>Threads: immutable; nobody changes the arrays.
 *
 * @param version grows by one per save; {@link #ABSENT} where there is no row
 * @param state the state's JSON as UTF-8, or null where the key was deleted or only marked
 * @param ids the window of recent event ids in the form of {@code IdWindow}, or null without any
 * @param parked how many messages of the key are parked; as long as there are any, all that comes
 *     after them goes there, too
 */
public record Snapshot(
        String key,
        long version,
        byte @Nullable [] state,
        Marks marks,
        byte @Nullable [] ids,
        int parked) {

    /** The version of a key that has no row. */
    public static final long ABSENT = 0;

    /** A key that has no row. */
    public static Snapshot absent(String key) {
        return new Snapshot(key, ABSENT, null, Marks.NONE, null, 0);
    }

    /**
     * A key that has no row in a store that has purged some.
     *
     * @param purged how far, of each source, rows that were purged had been applied
     */
    public static Snapshot absent(String key, Marks purged) {
        return new Snapshot(key, ABSENT, null, purged, null, 0);
    }

    /** The row of the next save if so many of its parked messages are taken out, and no more. */
    public Snapshot unparked(int messages) {
        return new Snapshot(key, version + 1, state, marks, ids, Math.max(0, parked - messages));
    }

    public boolean isAbsent() {
        return version == ABSENT;
    }
}
