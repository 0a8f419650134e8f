package dev.envelope.idempotency.outbox;

import dev.envelope.core.api.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** The header names that say where a dead letter comes from and why it failed. */
public enum DeadLetterHeaders {
    /** Those of Kafka Streams since KIP-1034; all values are text. */
    STREAMS {
        @Override
        void addTo(Headers headers, Message message, Failure failure, String application) {
            String kind = failure.kind();
            if (kind != null) {
                put(headers, "__streams.errors.exception", kind + ": " + failure.words());
            }
            put(headers, "__streams.errors.message", failure.words());
            put(headers, "__streams.errors.topic", message.topic());
            put(headers, "__streams.errors.partition", Integer.toString(message.partition()));
            put(headers, "__streams.errors.offset", Long.toString(message.offset()));
        }
    },
    /** Those of Spring's DeadLetterPublishingRecoverer; numbers are big-endian bytes. */
    SPRING {
        @Override
        void addTo(Headers headers, Message message, Failure failure, String application) {
            String kind = failure.kind();
            put(headers, "kafka_dlt-original-topic", message.topic());
            put(headers, "kafka_dlt-original-partition", int32(message.partition()));
            put(headers, "kafka_dlt-original-offset", int64(message.offset()));
            put(headers, "kafka_dlt-original-timestamp", int64(message.timestampMillis()));
            put(headers, "kafka_dlt-original-timestamp-type", message.timestampType().toString());
            put(headers, "kafka_dlt-original-consumer-group", application);
            if (kind != null) {
                put(headers, "kafka_dlt-exception-fqcn", kind);
            }
            put(headers, "kafka_dlt-exception-message", failure.words());
        }
    },
    /** Those of Kafka Connect; all values are text. */
    CONNECT {
        @Override
        void addTo(Headers headers, Message message, Failure failure, String application) {
            String kind = failure.kind();
            put(headers, "__connect.errors.topic", message.topic());
            put(headers, "__connect.errors.partition", Integer.toString(message.partition()));
            put(headers, "__connect.errors.offset", Long.toString(message.offset()));
            put(headers, "__connect.errors.connector.name", application);
            if (kind != null) {
                put(headers, "__connect.errors.exception.class.name", kind);
            }
            put(headers, "__connect.errors.exception.message", failure.words());
        }
    };

    /**
     * A failure as header text: of limited length, without control characters.
     *
     * @param kind the class of the exception; null if there was none
     */
    record Failure(@Nullable String kind, String words) {}

    /** Adds the headers of this naming. */
    abstract void addTo(Headers headers, Message message, Failure failure, String application);

    /** Sets a header, replacing any of that name, for example from an earlier dead letter. */
    static void put(Headers headers, String name, String value) {
        put(headers, name, value.getBytes(StandardCharsets.UTF_8));
    }

    static void put(Headers headers, String name, byte[] value) {
        headers.remove(name);
        headers.add(name, value);
    }

    private static byte[] int32(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] int64(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}
