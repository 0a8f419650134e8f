package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Message;

/**
 * A message is below its key's mark but was written in a later leader epoch: the log was truncated
 * and rewritten, so the applied records are not those that the log has now.
 */
public final class RewrittenLogException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RewrittenLogException(Message message, Marks marks) {
        super(
                "the log was truncated and written anew below offset "
                        + marks.nextOffset(message.epoch().source())
                        + ": "
                        + message
                        + " was written in leader epoch "
                        + message.leaderEpoch()
                        + ", after what the row counts as applied ("
                        + marks
                        + ")");
    }

    /**
     * The same where each message has a mark of its own.
     *
     * @param done the leader epoch of what is done
     */
    public RewrittenLogException(Message message, int done) {
        super(
                "the log was truncated and written anew: "
                        + message
                        + " was written in leader epoch "
                        + message.leaderEpoch()
                        + ", and what is done at its offset or behind it in leader epoch "
                        + done);
    }
}
