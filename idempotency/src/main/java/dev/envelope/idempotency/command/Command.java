package dev.envelope.idempotency.command;

import java.util.List;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What a caller wants to have done to a key.
 *
 * <p>The arrays are never changed.
 *
 * @param key the row's key
 * @param recordKey the record's key, of which the key format makes that row key
 * @param value the record's value; null for a tombstone
 * @param id under which the answer is saved, at most {@code Reply.LONGEST_COMMAND} characters; a
 *     caller that tries again repeats it
 * @param headers of the record, none of which begins with {@code envelope.}
 */
public record Command(
        String key, byte[] recordKey, byte @Nullable [] value, String id, List<Header> headers) {

    private static final long OVERHEAD_BYTES = 512; // of record, header names, entry

    public Command {
        headers = List.copyOf(headers);
    }

    /** Its approximate size in memory. */
    long bytes() {
        long bytes = OVERHEAD_BYTES + 2L * key.length() + recordKey.length + 2L * id.length();
        for (Header header : headers) {
            byte[] its = header.value();
            bytes += header.key().length() + (its == null ? 0 : its.length);
        }
        byte[] its = value;
        return bytes + (its == null ? 0 : its.length);
    }
}
