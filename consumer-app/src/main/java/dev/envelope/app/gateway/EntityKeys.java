package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.envelope.app.config.key.ReadKeys.KeyFormat;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.core.key.KeyFormat.KeyRefused;
import dev.envelope.core.key.RowKeys;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The keys of requests: the record's key in the topic, and the row's key, which is decoded from it
 * as the consumer does it.
 *
 * <p>Threads: immutable.
 */
final class EntityKeys {

    /**
     * A key.
     *
     * @param text as in the request
     * @param record the record's key, never changed
     * @param row the row's key
     */
    record EntityKey(String text, byte[] record, String row) {}

    private final String topic;
    private final KeyFormat format;
    private final RowKeys rowKeys;

    EntityKeys(String topic, KeyFormat format, RowKeys rowKeys) {
        this.topic = topic;
        this.format = format;
        this.rowKeys = rowKeys;
    }

    /**
     * The key of a segment of a path, in which any character may be percent-encoded.
     *
     * @throws Refused if it can't have a row
     */
    EntityKey ofPath(String segment) {
        return of(Call.decoded(segment));
    }

    /**
     * The key of this text.
     *
     * @throws Refused if it can't have a row
     */
    EntityKey of(String text) {
        try {
            byte[] bytes = bytes(text);
            String row = rowKeys.of(new ConsumerRecord<>(topic, 0, 0, bytes, null));
            return new EntityKey(text, bytes, row);
        } catch (KeyRefused e) {
            throw Refused.badRequest("no key: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            throw Refused.badRequest("the key is no " + format + ", as key.format wants it");
        }
    }

    private byte[] bytes(String text) {
        return switch (format) {
            case LONG -> ByteBuffer.allocate(Long.BYTES).putLong(Long.parseLong(text)).array();
            case INT -> ByteBuffer.allocate(Integer.BYTES).putInt(Integer.parseInt(text)).array();
            case BASE64 -> Base64.getDecoder().decode(text);
            case STRING -> encoded(text);
            case UUID -> encoded(text.toLowerCase(Locale.ROOT)); // as Kafka's serializer writes it
            case DEBEZIUM -> throw new IllegalArgumentException("written by Debezium only");
        };
    }

    /** A query in JSON may have half of a surrogate pair, which is no text. */
    private static byte[] encoded(String text) {
        try {
            ByteBuffer bytes = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            return array;
        } catch (CharacterCodingException e) {
            throw Refused.badRequest("the key is no text in UTF-8");
        }
    }
}
