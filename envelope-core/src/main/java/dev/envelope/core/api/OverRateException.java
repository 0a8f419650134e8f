package dev.envelope.core.api;

import java.time.Duration;

/** What a handler calls may not be called more often now: its message waits for so long. */
public class OverRateException extends UnavailableException {

    private static final long serialVersionUID = 1L;

    private final Duration askAgainAfter;

    public OverRateException(String message, Duration askAgainAfter) {
        super(message);
        this.askAgainAfter = askAgainAfter;
    }

    public Duration askAgainAfter() {
        return askAgainAfter;
    }
}
