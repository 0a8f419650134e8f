package dev.envelope.core.key;

import dev.envelope.core.decode.Deserializers;
import java.nio.Buffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a Kafka deserializer reads; what it makes of them as text is the row key.
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
        return true; // nobody knows whom it asks
    }

    @Override
    public String decode(String topic, Headers headers, byte[] key) throws KeyRefused {
        try {
            return text(deserializers.decode(topic, headers, key));
        } catch (Deserializers.BadBytes e) {
            throw new KeyRefused("key-format: " + e.reason().getClass().getSimpleName());
        }
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
        String text = toText(decoded);
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new KeyRefused("key-format: decoded to a text that has no UTF-8");
        }
        return text;
    }

    /** The key's class is code of others: what it throws is about this key. */
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
