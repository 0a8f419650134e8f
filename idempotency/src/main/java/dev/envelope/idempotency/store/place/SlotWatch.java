package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.UnavailableException;
import java.util.List;

/** Looks which slots of a place are not there any more, since they are being moved, or were. */
@FunctionalInterface
public interface SlotWatch {

    /** For a place whose slots never move. */
    SlotWatch NONE = List::of;

    /**
     * A slot that is moved.
     *
     * @param why in a sentence
     * @param isElsewhere whether that is done
     */
    record Away(int slot, String why, boolean isElsewhere) {}

    /**
     * Those that are not there now.
     *
     * @throws UnavailableException if the place does not answer
     */
    List<Away> look();
}
