package dev.envelope.idempotency.output.kafka;

import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * The rights that outputs need in a cluster with ACLs, in sentences with the command that gives
 * each.
 */
record Acls(String servers, String applicationId) {

    /** What all transactional ids of an application begin with, and their groups. */
    static String prefix(String applicationId) {
        return applicationId + "-relay-";
    }

    String transactionalIds() {
        String prefix = prefix(applicationId);
        return "the cluster does not let us use transactional ids that begin with "
                + prefix
                + ": "
                + command("Write --transactional-id " + prefix)
                + " --resource-pattern-type prefixed";
    }

    String groups() {
        String prefix = prefix(applicationId);
        return "the cluster does not let us use groups that begin with "
                + prefix
                + ": "
                + command("Read --group " + prefix)
                + " --resource-pattern-type prefixed";
    }

    String read(String topic) {
        return "the cluster does not let us commit offsets of the topic "
                + topic
                + ": "
                + command("Read --topic " + topic);
    }

    String write(String topic) {
        return "the cluster does not let us write to the topic "
                + topic
                + ": "
                + command("Write --topic " + topic);
    }

    private String command(String right) {
        return "kafka-acls.sh --bootstrap-server "
                + servers
                + " --add --allow-principal User:... --operation "
                + right;
    }

    /** The sentence about the right that an exception is about; null if it is about none. */
    @Nullable String missing(Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause instanceof TransactionalIdAuthorizationException) {
                return transactionalIds();
            } else if (cause instanceof GroupAuthorizationException) {
                return groups();
            }
        }
        return null;
    }
}
