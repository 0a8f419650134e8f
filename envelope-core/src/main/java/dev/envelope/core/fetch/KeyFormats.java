package dev.envelope.core.fetch;

import dev.envelope.core.fetch.KeyFormat.KeyRefused;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** The key formats that come with the engine. */
public final class KeyFormats {

    private static final char REPLACEMENT = '\uFFFD';

    private KeyFormats() {}

    /** Text in UTF-8; anything else is refused. */
    public static KeyFormat string() {
        return (topic, headers, key) -> {
            String text = new String(key, StandardCharsets.UTF_8);
            if (text.indexOf(REPLACEMENT) >= 0) {
                requireUtf8(key);
            }
            return text;
        };
    }

    private static void requireUtf8(byte[] key) throws KeyRefused {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key));
        } catch (CharacterCodingException e) {
            throw new KeyRefused("key-format: not UTF-8");
        }
    }

    /** A long as Kafka's serializer writes it. */
    public static KeyFormat int64() {
        return (topic, headers, key) ->
                Long.toString(ByteBuffer.wrap(ofLength(key, Long.BYTES)).getLong());
    }

    /** An int as Kafka's serializer writes it. */
    public static KeyFormat int32() {
        return (topic, headers, key) ->
                Integer.toString(ByteBuffer.wrap(ofLength(key, Integer.BYTES)).getInt());
    }

    /** A UUID as Kafka's serializer writes it, which is as text; upper case means the same. */
    public static KeyFormat uuid() {
        return (topic, headers, key) -> {
            String text = new String(key, StandardCharsets.UTF_8);
            try {
                String canonical = UUID.fromString(text).toString();
                if (canonical.equalsIgnoreCase(text)) {
                    return canonical;
                }
            } catch (IllegalArgumentException e) {
                // Said below.
            }
            throw new KeyRefused("key-format: not a UUID");
        };
    }

    /** Any bytes, in base64. */
    public static KeyFormat base64() {
        return (topic, headers, key) -> Base64.getEncoder().encodeToString(key);
    }

    /** What a Kafka deserializer makes of it, as text. */
    public static KeyFormat of(Deserializer<?> deserializer) {
        return (topic, headers, key) -> {
            try {
                return text(deserializer.deserialize(topic, headers, key));
            } catch (RuntimeException e) {
                throw new KeyRefused("key-format: " + e.getClass().getSimpleName());
            }
        };
    }

    /** Equal keys must have equal texts and different ones different texts: not everything does. */
    private static String text(@Nullable Object decoded) throws KeyRefused {
        if (decoded == null) {
            throw new KeyRefused("key-format: decoded to nothing");
        }
        if (decoded.getClass().isArray() || decoded instanceof Buffer) {
            String kind = decoded.getClass().getSimpleName();
            throw new KeyRefused("key-format: decoded to a " + kind + ", which has no text");
        }
        String text = decoded.toString();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new KeyRefused("key-format: decoded to a text that has no UTF-8");
        }
        return text;
    }

    private static byte[] ofLength(byte[] key, int length) throws KeyRefused {
        if (key.length != length) {
            throw new KeyRefused("key-format: " + key.length + " bytes, not " + length);
        }
        return key;
    }
}
