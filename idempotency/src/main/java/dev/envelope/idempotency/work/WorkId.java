package dev.envelope.idempotency.work;

import dev.envelope.core.api.Message;

/**
 * An id by which others know a message again. It has the epoch of the partition's leader, since an
 * offset is written anew where a log was truncated.
 */
public final class WorkId {

    private WorkId() {}

    /** The same each time that the application handles the message. */
    public static String of(String applicationId, Message message) {
        return applicationId
                + "/"
                + message
                + (message.leaderEpoch() < 0 ? "" : "@" + message.leaderEpoch());
    }
}
