package dev.envelope.idempotency;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs, once per partition epoch, that messages are left out because they belong to purged keys.
 *
 * <p>Threads: thread-safe (the set is).
 */
final class PurgedKeys {

    private static final Logger log = LoggerFactory.getLogger(PurgedKeys.class);

    private final Set<Long> told = ConcurrentHashMap.newKeySet();

    /** Called for a message that is read again and whose key has no row. */
    void leftOut(Message message) {
        PartitionEpoch epoch = message.epoch();
        if (told.add(epoch.number())) {
            log.warn(
                    "{} is read again at offset {}, from before rows of deleted keys were purged:"
                            + " messages of that time whose key has no row, or one that no message of"
                            + " this partition was applied to, are taken for theirs and left"
                            + " out. To make rows of them again, set purged_below to 0 in row"
                            + " {} of the table source, and read again.",
                    epoch.partition(),
                    message.offset(),
                    epoch.source());
        }
    }
}
