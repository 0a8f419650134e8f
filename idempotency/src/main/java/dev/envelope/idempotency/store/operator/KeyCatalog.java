package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of a key's row, read without a lock.
 *
 * <p>Threads: one thread.
 */
public interface KeyCatalog extends Catalog {

    /** Longer states are cut. */
    int MOST_STATE_CHARACTERS = 64 << 10;

    /**
     * A request about a key.
     *
     * @param by the name that the caller gave
     * @param done when it was carried out; null if it was not yet
     * @param answer the answer to it
     */
    record Asked(
            String action,
            String by,
            Instant at,
            @Nullable Instant done,
            @Nullable String answer) {}

    /**
     * A key's row.
     *
     * @param state as text, perhaps cut; null for a deleted key
     * @param stateBytes the length of the whole state
     * @param marks how far each partition's log is applied to the row
     * @param idBytes the size of the window of event ids
     * @param parked how many messages of the key are parked
     */
    record Row(
            @Nullable String state,
            int stateBytes,
            long version,
            List<Mark> marks,
            int idBytes,
            int parked,
            Instant updatedAt) {

        /** Whether the state is not cut. */
        public boolean isWhole() {
            return stateBytes <= MOST_STATE_CHARACTERS;
        }
    }

    /**
     * How far a partition's log is applied.
     *
     * @param generation grows with each accepted truncation of the log
     * @param next the next offset that is not applied
     */
    record Mark(String topic, int partition, int generation, long next, int leaderEpoch) {}

    /**
     * A timer of a key.
     *
     * @param firedAt when its firing was sent, which is not applied yet; null if it is pending
     */
    record Timer(String name, Instant dueAt, @Nullable Instant firedAt) {}

    /** The row of a key, if it has one. */
    Optional<Row> row(String key);

    /** The timers of a key that are set, those first that are due first; not more than some. */
    List<Timer> timers(String key);

    /** The latest requests about a key, newest first. */
    List<Asked> asked(String key);
}
