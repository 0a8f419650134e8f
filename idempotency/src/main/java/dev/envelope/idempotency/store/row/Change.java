package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.output.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a save does to one row, if the row is still at the version that the change was made from.
 *
 * <p>The arrays are never changed.
 *
 * @param key the row's key, or one that begins with {@link Message#NO_ROW} for messages that are
 *     only set aside
 * @param fromVersion the version that the row must have, {@link Snapshot#ABSENT} for no row; the
 *     save makes it one higher (I5)
 * @param state the next state's JSON as UTF-8, or null to leave marks without a state
 * @param ids the next window of event ids, or null if empty
 * @param parkedBefore how many messages of the key are parked already
 * @param beside what is inserted if, and only if, the change is saved
 */
public record Change(
        String key,
        long fromVersion,
        byte @Nullable [] state,
        Marks marks,
        byte @Nullable [] ids,
        int parkedBefore,
        Beside beside) {

    /**
     * What is saved beside the row, in the same transaction.
     *
     * @param parked messages to insert into {@code parked}
     * @param deadLetters records to insert into {@code outbox}
     * @param effects what the handler wants to happen
     * @param rowsDone the ids of messages that are rows of a table: they are done
     */
    public record Beside(
            List<ParkedMessage> parked,
            List<OutboxRecord> deadLetters,
            HandlerEffects effects,
            List<String> rowsDone) {

        /** Nothing but the row. */
        public static final Beside NOTHING = new Beside(List.of(), List.of(), HandlerEffects.NONE);

        /** Beside messages of topics. */
        public Beside(
                List<ParkedMessage> parked,
                List<OutboxRecord> deadLetters,
                HandlerEffects effects) {
            this(parked, deadLetters, effects, List.of());
        }

        /** Without an object of its own in the usual case, that there is nothing. */
        public static Beside of(
                List<ParkedMessage> parked,
                List<OutboxRecord> deadLetters,
                HandlerEffects effects,
                List<String> rowsDone) {
            return parked.isEmpty()
                            && deadLetters.isEmpty()
                            && effects.isNothing()
                            && rowsDone.isEmpty()
                    ? NOTHING
                    : new Beside(parked, deadLetters, effects, rowsDone);
        }
    }

    /** A change that only parks messages beside the row. */
    public Change(
            String key,
            long fromVersion,
            byte @Nullable [] state,
            Marks marks,
            byte @Nullable [] ids,
            int parkedBefore,
            List<ParkedMessage> parked) {
        this(
                key,
                fromVersion,
                state,
                marks,
                ids,
                parkedBefore,
                new Beside(parked, List.of(), HandlerEffects.NONE));
    }

    /** Parks messages that can't have a row. */
    public static Change ofMessagesWithoutRow(List<ParkedMessage> parked) {
        return ofMessagesWithoutRow(Message.NO_ROW, parked, List.of(), List.of());
    }

    /**
     * Sets aside messages that can't have a row: parks them, or puts them out as dead letters.
     *
     * @param key theirs, which begins with {@link Message#NO_ROW}
     */
    public static Change ofMessagesWithoutRow(
            String key,
            List<ParkedMessage> parked,
            List<OutboxRecord> deadLetters,
            List<String> rowsDone) {
        return new Change(
                key,
                Snapshot.ABSENT,
                null,
                Marks.NONE,
                null,
                0,
                new Beside(parked, deadLetters, HandlerEffects.NONE, rowsDone));
    }

    public List<ParkedMessage> parked() {
        return beside.parked();
    }

    public List<OutboxRecord> deadLetters() {
        return beside.deadLetters();
    }

    public HandlerEffects effects() {
        return beside.effects();
    }

    public List<Output> outputs() {
        return beside.effects().outputs();
    }

    public boolean isWithoutRow() {
        return Message.isOfNoRow(key);
    }

    /** The row after the save. */
    public Snapshot asSaved() {
        return new Snapshot(
                key, fromVersion + 1, state, marks, ids, parkedBefore + parked().size());
    }

    /** Its approximate size in a statement. */
    public long bytes() {
        long bytes = 64L + key.length();
        bytes += state == null ? 0 : state.length;
        bytes += ids == null ? 0 : ids.length;
        for (ParkedMessage message : parked()) {
            bytes += message.message().heldBytes();
        }
        for (OutboxRecord record : deadLetters()) {
            bytes += record.bytes();
        }
        return bytes + effects().bytes(state);
    }
}
