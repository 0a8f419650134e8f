package dev.envelope.core.mailbox;

import java.time.Duration;

/**
 * How large a turn may get.
 *
 * @param envelopeMessages most messages of one key
 * @param envelopeBytes most bytes of one key; one message is taken whatever its size
 * @param turnMessages most messages of all keys
 * @param turnBytes most bytes of all keys
 * @param turnTime what is not folded by then comes in a later turn; a single fold that takes longer
 *     is left behind
 * @param handlerTimeout how long user code may be at one message before it is interrupted
 */
public record TurnLimits(
        int envelopeMessages,
        long envelopeBytes,
        int turnMessages,
        long turnBytes,
        Duration turnTime,
        Duration handlerTimeout) {

    /** The default of {@code handlerTimeout}. */
    public static final Duration HANDLER_TIMEOUT = Duration.ofSeconds(15);

    /** With {@link #HANDLER_TIMEOUT}. */
    public TurnLimits(
            int envelopeMessages,
            long envelopeBytes,
            int turnMessages,
            long turnBytes,
            Duration turnTime) {
        this(envelopeMessages, envelopeBytes, turnMessages, turnBytes, turnTime, HANDLER_TIMEOUT);
    }

    public TurnLimits {
        if (envelopeMessages < 1 || envelopeBytes < 1 || turnMessages < 1 || turnBytes < 1) {
            throw new IllegalArgumentException("a turn must be able to take a message");
        }
    }
}
