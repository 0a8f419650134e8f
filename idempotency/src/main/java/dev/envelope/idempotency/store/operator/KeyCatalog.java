package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of a key's row: looked at, not locked.
 *
 * <p>Threads: one thread.
 */
public interface KeyCatalog extends Catalog {

    /** More of a state is nothing for a screen. */
    int MOST_STATE_CHARACTERS = 64 << 10;

    /**
     * What somebody has asked for about a key.
     *
     * @param by whom, as they said
     * @param done null if it is not carried out yet
     * @param answer what came of it
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
     * @param state as text, or the beginning of it; null for a deleted key
     * @param stateBytes how long all of it is
     * @param marks how far each partition's log is applied to it
     * @param idBytes what the remembered event ids take
     * @param parked how many messages of it are parked
     */
    record Row(
            @Nullable String state,
            int stateBytes,
            long version,
            List<Mark> marks,
            int idBytes,
            int parked,
            Instant updatedAt) {

        /** Whether the text is all of the state. */
        public boolean isWhole() {
            return stateBytes <= MOST_STATE_CHARACTERS;
        }
    }

    /**
     * How far a partition's log is applied.
     *
     * @param generation grows with each truncation of the log that was accepted
     * @param next the offset of the next message that is not applied
     */
    record Mark(String topic, int partition, int generation, long next, int leaderEpoch) {}

    /** The row of a key, if it has one. */
    Optional<Row> row(String key);

    /** What was asked for about a key of late, the last first. */
    List<Asked> asked(String key);
}
