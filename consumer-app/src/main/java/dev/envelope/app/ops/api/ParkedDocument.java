package dev.envelope.app.ops.api;

import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Reasons;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The documents of parked messages: the keys that have some, and the messages of one key. */
public final class ParkedDocument {

    private static final int FIRST = 3;

    private ParkedDocument() {}

    /**
     * The keys that have parked messages, and how many messages there are for each reason.
     *
     * @param found one more than {@code most}, if there are more
     */
    public static Map<String, Object> keys(List<ParkedKey> found, Reasons reasons, int most) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("keys", found.stream().limit(most).toList());
        document.put("more", found.size() > most);
        document.put("reasons", reasons.withRow());
        document.put("withoutRow", reasons.withoutRow());
        return document;
    }

    /**
     * The number of selected keys, and the first of them.
     *
     * @param most with so many keys there may be more
     */
    static Selected selected(List<ParkedKey> keys, int most) {
        return new Selected(
                keys.size(),
                keys.stream().mapToLong(ParkedKey::messages).sum(),
                keys.size() == most,
                keys.stream().limit(FIRST).toList());
    }

    record Selected(int keys, long messages, boolean more, List<ParkedKey> first) {}

    /**
     * Messages of a key, or some that can't have a row.
     *
     * @param found one more than {@code most}, if there are more
     */
    public static Map<String, Object> messages(@Nullable String key, List<Entry> found, int most) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key);
        document.put("messages", found.stream().limit(most).map(ParkedDocument::message).toList());
        document.put("more", found.size() > most);
        return document;
    }

    private static Map<String, Object> message(Entry message) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("position", message.position());
        document.put("place", message.place());
        document.put("timestamp", Instant.ofEpochMilli(message.timestampMillis()));
        document.put("reason", message.reason());
        document.put("attempts", message.attempts());
        document.put("error", message.error());
        document.put("since", message.since());
        document.put("failedAgain", message.failedAgain());
        document.put("value", bytes(message.value(), message.valueBytes()));
        document.put("headers", message.headers().stream().map(ParkedDocument::header).toList());
        return document;
    }

    private static Map<String, Object> header(Header header) {
        Map<String, Object> document = new LinkedHashMap<>();
        byte[] value = header.value();
        document.put("name", header.key());
        document.put("value", bytes(value, value == null ? 0 : value.length));
        return document;
    }

    /**
     * Bytes as text if they are UTF-8, otherwise in base64. Long ones are cut; {@code envelope
     * parked export} writes all of them.
     */
    private static @Nullable Map<String, Object> bytes(byte @Nullable [] bytes, int length) {
        if (bytes == null) {
            return null;
        }
        int shown = Math.min(bytes.length, ParkedCatalog.MOST_BYTES);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bytes", length);
        document.put("whole", length <= ParkedCatalog.MOST_BYTES);
        try {
            ByteBuffer text = ByteBuffer.wrap(bytes, 0, shown);
            document.put("text", StandardCharsets.UTF_8.newDecoder().decode(text).toString());
        } catch (CharacterCodingException e) {
            document.put("base64", Arrays.copyOf(bytes, shown)); // Jackson writes bytes in base64
        }
        return document;
    }
}
