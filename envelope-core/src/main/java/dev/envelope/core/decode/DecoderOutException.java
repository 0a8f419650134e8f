package dev.envelope.core.decode;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;

/**
 * Bytes could not be decoded, which says nothing certain about them: something that the decoder
 * needs may be unavailable. The caller waits, in order, and counts no attempt (I11).
 */
public final class DecoderOutException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    private final boolean isClear;

    /**
     * @param isClear whether it is certain that this is an outage: then the wait lasts as long as
     *     the outage; otherwise it has a limit
     */
    public DecoderOutException(String message, Throwable cause, boolean isClear) {
        super(message, cause);
        this.isClear = isClear;
    }

    /**
     * Wraps what a format has thrown, unless it is a fault of the bytes or says itself what is out.
     */
    public static Throwable unlessOfBytes(Throwable thrown) {
        DecodeFault fault = DecodeFault.of(thrown);
        return fault == DecodeFault.BYTES || thrown instanceof UnavailableException
                ? thrown
                : new DecoderOutException(
                        Words.describe(thrown), thrown, fault == DecodeFault.OUTAGE);
    }

    /** Whether it is certain that this is an outage. */
    public boolean isClear() {
        return isClear;
    }
}
