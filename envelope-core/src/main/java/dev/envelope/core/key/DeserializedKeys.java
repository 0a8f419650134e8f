package dev.envelope.core.key;

import dev.envelope.core.decode.Deserializers;
import java.nio.Buffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A key format by a Kafka deserializer; the text of the decoded object is the row key.
 *
 * <p>Threads: thread-safe (the pool of deserializers is).
 */
public final class DeserializedKeys implements KeyFormat, AutoCloseable {

    private final Deserializers<?> deserializers;

    public DeserializedKeys(Deserializers<?> deserializers) {
        this.deserializers = deserializers;
    }

    @Override
    public boolean mayBlock() {
        return true; // it may ask a schema registry
    }

    @Override
    public String decode(String topic, Headers headers, byte[] key) throws KeyRefused {
        try {
            return text(deserializers.decode(topic, headers, key));
        } catch (Deserializers.BadBytes e) {
            throw new KeyRefused("key-format: " + e.reason().getClass().getSimpleName());
        }
    }

    /**
     * Equal keys must have equal texts and different ones different texts, which arrays and buffers
     * don't.
     */
    private static String text(@Nullable Object decoded) throws KeyRefused {
        if (decoded == null) {
            throw new KeyRefused("key-format: decoded to nothing");
        }
        if (decoded.getClass().isArray() || decoded instanceof Buffer) {
            String kind = decoded.getClass().getSimpleName();
            throw new KeyRefused("key-format: decoded to a " + kind + ", which has no text");
        }
        String text = toText(decoded);
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new KeyRefused("key-format: decoded to a text that has no UTF-8");
        }
        return text;
    }

    /** The key's class is foreign code: an exception from it is a fault of this key. */
    private static String toText(Object decoded) throws KeyRefused {
        String kind = decoded.getClass().getSimpleName();
        try {
            @Nullable String text = decoded.toString();
            if (text != null) {
                return text;
            }
        } catch (RuntimeException | StackOverflowError e) {
            throw new KeyRefused(
                    "key-format: the text of a " + kind + ": " + e.getClass().getSimpleName());
        }
        throw new KeyRefused("key-format: decoded to a " + kind + ", which has no text");
    }

    @Override
    public void close() {
        deserializers.close();
    }
}
