package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * The database answers and says no: a password, a right, a setting or the schema is not as it must
 * be. At start that ends the process; while running it is waited out like any outage, because
 * somebody may be about to mend it, but slowly and with the fix in the message.
 */
public final class RefusedException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    /**
     * @param sentence what is wrong and what mends it, in one line
     */
    public RefusedException(String sentence) {
        super(sentence);
    }

    public RefusedException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
