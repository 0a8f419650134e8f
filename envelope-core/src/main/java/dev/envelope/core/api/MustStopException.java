package dev.envelope.core.api;

/**
 * Says that a message is not set aside, whatever the policy: its partition has to stop, and stays
 * stopped until an operator resumes it, which whoever throws this has recorded.
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
