package dev.envelope.integration.app;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * A deserializer of keys that asks a schema registry once for each id, as those of Avro and
 * Protobuf do: a zero, the id, the bytes. What a registry answers with 503, or not at all, comes
 * out as they throw it.
 *
 * <p>Threads: one at a time.
 */
public final class RegistryKeys implements Deserializer<String> {

    private static final int PREFIX = 5;

    private final Set<Integer> known = new HashSet<>();
    private String url = "";

    /** The bytes of a key under a schema. */
    static byte[] bytes(int schema, String key) {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(PREFIX + text.length)
                .put((byte) 0)
                .putInt(schema)
                .put(text)
                .array();
    }

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        url = String.valueOf(configs.get("registry.url"));
    }

    @Override
    public @Nullable String deserialize(String topic, byte @Nullable [] data) {
        if (data == null) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(data, 1, data.length - 1);
        int schema = bytes.getInt();
        if (!known.contains(schema)) {
            ask(schema);
            known.add(schema);
        }
        return new String(data, PREFIX, data.length - PREFIX, StandardCharsets.UTF_8);
    }

    private void ask(int schema) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection)
                            URI.create(url + "/schemas/ids/" + schema).toURL().openConnection();
            int code = connection.getResponseCode();
            if (code != HttpURLConnection.HTTP_OK) {
                throw new IOException("the registry answers " + code);
            }
        } catch (IOException e) {
            throw new SerializationException("no schema for id " + schema, e);
        }
    }
}
