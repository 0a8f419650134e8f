package dev.envelope.core;

import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.position.KafkaTopicAdmin;
import dev.envelope.core.source.RecordSource;
import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** The topics of a Kafka cluster. */
final class KafkaSource implements RecordSource {

    private final Admin admin;
    private final KafkaConsumer<byte @Nullable [], byte @Nullable []> client;
    private final TopicAdmin topics;

    /**
     * Creates the clients.
     *
     * @throws KafkaException if a client property is wrong
     */
    KafkaSource(ConsumerSettings settings) {
        ClientProperties properties = new ClientProperties(settings);
        admin = Admin.create(properties.admin());
        client = open(properties, admin);
        topics = new KafkaTopicAdmin(admin, settings.applicationId());
    }

    private static KafkaConsumer<byte @Nullable [], byte @Nullable []> open(
            ClientProperties properties, Admin beside) {
        try {
            return new KafkaConsumer<>(
                    properties.consumer(),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
        } catch (KafkaException e) {
            beside.close(Duration.ZERO);
            throw e;
        }
    }

    @Override
    public Consumer<byte @Nullable [], byte @Nullable []> client() {
        return client;
    }

    @Override
    public TopicAdmin topics() {
        return topics;
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
