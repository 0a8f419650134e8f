package dev.envelope.app.ops.api;

import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Reasons;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Parked messages: the keys that have some, and the messages of one.
 *
 * <p>Threads: stateless.
 */
public final class ParkedDocument {

    private static final int FIRST = 3;

    private ParkedDocument() {}

    /**
     * The keys that have some, and how many there are for which reason.
     *
     * @param found one more than are shown, if there are more
     */
    public static Map<String, Object> keys(List<ParkedKey> found, Reasons reasons, int most) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("keys", found.stream().limit(most).map(ParkedDocument::key).toList());
        document.put("more", found.size() > most);
        document.put("reasons", reasons.withRow());
        document.put("withoutRow", reasons.withoutRow());
        return document;
    }

    /**
     * How many were selected, and the first of them.
     *
     * @param most of how many there may be more
     */
    static Map<String, Object> selected(List<ParkedKey> keys, int most) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("keys", keys.size());
        document.put("messages", keys.stream().mapToLong(ParkedKey::messages).sum());
        document.put("more", keys.size() == most);
        document.put("first", keys.stream().limit(FIRST).map(ParkedDocument::key).toList());
        return document;
    }

    private static Map<String, Object> key(ParkedKey key) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", key.key());
        document.put("messages", key.messages());
        document.put("position", key.position());
        document.put("first", key.first());
        document.put("reason", key.reason());
        document.put("attempts", key.attempts());
        document.put("error", key.error());
        document.put("since", key.since().toString());
        return document;
    }

    /**
     * Messages of a key, or some that can't have a row.
     *
     * @param found one more than are shown, if there are more
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
        document.put("timestamp", Instant.ofEpochMilli(message.timestampMillis()).toString());
        document.put("reason", message.reason());
        document.put("attempts", message.attempts());
        document.put("error", message.error());
        document.put("since", message.since().toString());
        document.put("failedAgain", text(message.failedAgain()));
        document.put("value", bytes(message.value(), message.valueBytes()));
        List<Map<String, Object>> headers = new ArrayList<>();
        for (Header header : message.headers()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", header.key());
            byte[] value = header.value();
            one.put("value", bytes(value, value == null ? 0 : value.length));
            headers.add(one);
        }
        document.put("headers", headers);
        return document;
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    /**
     * As text where it is text, otherwise in base64; the beginning of it, if it is long, for {@code
     * envelope parked export} has all of it.
     */
    private static @Nullable Map<String, Object> bytes(byte @Nullable [] bytes, int length) {
        if (bytes == null) {
            return null;
        }
        Map<String, Object> document = new LinkedHashMap<>();
        int most = ParkedCatalog.MOST_BYTES;
        document.put("bytes", length);
        ByteBuffer shown = ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, most));
        document.put("whole", length <= most);
        try {
            document.put("text", StandardCharsets.UTF_8.newDecoder().decode(shown).toString());
        } catch (CharacterCodingException e) {
            shown.rewind();
            byte[] some = new byte[shown.remaining()];
            shown.get(some);
            document.put("base64", Base64.getEncoder().encodeToString(some));
        }
        return document;
    }
}
