package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * A slot is being moved to another database, or was. Others at its place are there; what is of this
 * one waits until the process starts anew.
 */
public final class SlotAwayException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    /**
     * @param sentence where it is moved to, since when and by whom
     */
    public SlotAwayException(String sentence) {
        super(sentence);
    }
}
