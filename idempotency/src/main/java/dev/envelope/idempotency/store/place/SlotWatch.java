package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.UnavailableException;
import java.util.List;

/** Looks which slots of a place are not there any more, since they are being moved, or were. */
@FunctionalInterface
public interface SlotWatch {

    /** For a place whose slots never move. */
    SlotWatch NONE = List::of;

    /** Why a slot is not where it is used. */
    enum Reason {
        /** It is being moved. */
        MOVES,
        /** It is elsewhere, or is back. */
        ELSEWHERE,
        /** It is at no place that answers, and nothing says that it was moved. */
        GONE,
        /** Its place did not answer when this process started. */
        NOT_ASKED
    }

    /**
     * A slot that can't be used for now.
     *
     * @param why in a sentence
     */
    record Away(int slot, String why, Reason reason) {}

    /**
     * Those that are not there now.
     *
     * @throws UnavailableException if the place does not answer
     */
    List<Away> look();
}
