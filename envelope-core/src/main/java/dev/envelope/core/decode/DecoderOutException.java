package dev.envelope.core.decode;

import dev.envelope.core.api.UnavailableException;

/**
 * Bytes could not be decoded, and that says nothing certain about them: what the decoder needs is
 * away. Whoever catches it waits, in order, and counts no attempt (I11).
 */
public final class DecoderOutException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    private final boolean isClear;

    /**
     * @param isClear whether it is certain that somebody is away: then it is waited for as long as
     *     that lasts; otherwise for a stated time
     */
    public DecoderOutException(String message, Throwable cause, boolean isClear) {
        super(message, cause);
        this.isClear = isClear;
    }

    /** Whether it is certain that somebody is away. */
    public boolean isClear() {
        return isClear;
    }
}
