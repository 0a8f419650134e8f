package dev.envelope.core.key;

import dev.envelope.core.key.KeyFormat.KeyRefused;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;
import org.apache.kafka.common.header.Headers;

/** The key formats that come with the engine. */
public final class KeyFormats {

    private static final char REPLACEMENT = '\uFFFD';

    private KeyFormats() {}

    private interface Decoding {
        String of(byte[] key) throws KeyRefused;
    }

    /** A format that neither the topic nor headers matter to. */
    private record OfTheKey(Decoding decoding) implements KeyFormat {

        @Override
        public String decode(String topic, Headers headers, byte[] key) throws KeyRefused {
            return decoding.of(key);
        }

        @Override
        public boolean readsOnlyTheKey() {
            return true;
        }
    }

    /** Text in UTF-8; anything else is refused. */
    public static KeyFormat string() {
        return new OfTheKey(KeyFormats::text);
    }

    private static String text(byte[] key) throws KeyRefused {
        String text = new String(key, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) {
            requireUtf8(key);
        }
        return text;
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
        return new OfTheKey(
                key -> Long.toString(ByteBuffer.wrap(ofLength(key, Long.BYTES)).getLong()));
    }

    /** An int as Kafka's serializer writes it. */
    public static KeyFormat int32() {
        return new OfTheKey(
                key -> Integer.toString(ByteBuffer.wrap(ofLength(key, Integer.BYTES)).getInt()));
    }

    /** A UUID as Kafka's serializer writes it, which is as text; upper case is the same key. */
    public static KeyFormat uuid() {
        return new OfTheKey(KeyFormats::canonicalUuid);
    }

    private static String canonicalUuid(byte[] key) throws KeyRefused {
        String text = new String(key, StandardCharsets.UTF_8);
        try {
            String canonical = UUID.fromString(text).toString();
            if (canonical.equalsIgnoreCase(text)) {
                return canonical;
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw new KeyRefused("key-format: not a UUID");
    }

    /** Any bytes, in base64. */
    public static KeyFormat base64() {
        return new OfTheKey(key -> Base64.getEncoder().encodeToString(key));
    }

    private static byte[] ofLength(byte[] key, int length) throws KeyRefused {
        if (key.length != length) {
            throw new KeyRefused(
                    "key-format: %d bytes, but key.format wants %d".formatted(key.length, length));
        }
        return key;
    }
}
