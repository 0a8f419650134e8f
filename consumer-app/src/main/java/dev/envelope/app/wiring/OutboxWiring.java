package dev.envelope.app.wiring;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import dev.envelope.idempotency.outbox.OutboxRoom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * From the settings to what is put out, and what delivers it.
 *
 * <p>Threads: stateless.
 */
public final class OutboxWiring {

    private OutboxWiring() {}

    /** What makes dead letters, where the settings want some. */
    public static Optional<DeadLetters> deadLetters(Settings settings) {
        return deadLetterTopic(settings)
                .map(
                        topic ->
                                new DeadLetters(
                                        topic,
                                        settings.get(ReadKeys.APPLICATION_ID),
                                        DeadLetterHeaders.valueOf(
                                                settings.get(OutboxKeys.HEADERS).name())));
    }

    /** Where dead letters go, where the settings want some. */
    public static Optional<String> deadLetterTopic(Settings settings) {
        return settings.get(FailureKeys.ON_FAILURE) == FailurePolicy.Last.DEAD_LETTER
                ? settings.find(OutboxKeys.TOPIC)
                : Optional.empty();
    }

    /** How much may wait. */
    static OutboxRoom.Limits room(Settings settings) {
        return new OutboxRoom.Limits(
                settings.get(OutboxKeys.MAX_ROWS), settings.get(OutboxKeys.MAX_AGE));
    }

    /** What delivers, whatever the policy is now: there may be rows of an earlier one. */
    static KafkaDelivery delivery(Settings settings) {
        String servers = EngineWiring.servers(settings);
        Map<String, Object> producer = new HashMap<>(settings.kafka().of(Client.PRODUCER));
        producer.put("bootstrap.servers", servers);
        return new KafkaDelivery(producer, EngineWiring.admin(settings), servers);
    }
}
