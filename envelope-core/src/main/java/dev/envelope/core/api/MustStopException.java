package dev.envelope.core.api;

/**
 * A message must not be set aside, whatever the policy: its partition has to stop until an operator
 * resumes it. That was recorded in the database before this is thrown.
 */
public final class MustStopException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * @param why in words for the operator
     */
    public MustStopException(String why) {
        super(why);
    }
}
