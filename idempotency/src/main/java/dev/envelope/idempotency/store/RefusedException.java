package dev.envelope.idempotency.store;

import dev.envelope.core.api.UnavailableException;

/**
 * The database refuses us: a password, a right, a setting or the schema is wrong. At start this
 * ends the process. While running it is treated like an outage, since an operator may correct it,
 * but with longer waits and with the fix in the message.
 */
public final class RefusedException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    /**
     * @param sentence what is wrong and how to fix it, in one line
     */
    public RefusedException(String sentence) {
        super(sentence);
    }

    public RefusedException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
