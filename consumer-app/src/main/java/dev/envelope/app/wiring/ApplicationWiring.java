package dev.envelope.app.wiring;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.OutputKeys;
import dev.envelope.app.config.key.OutputKeys.Delivery;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.SlotKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.WorkSpec;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.OutputsCheck;
import dev.envelope.app.start.OwnTopicsCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.tracing.TracedHandler;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.Deliveries;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.Retention;
import dev.envelope.idempotency.limit.FailingShares;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.output.kafka.AtLeastOnce;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.idempotency.output.kafka.ExactlyOnce;
import dev.envelope.idempotency.output.kafka.MutedSender;
import dev.envelope.idempotency.output.kafka.OutputRights;
import dev.envelope.idempotency.output.kafka.OwnTopics;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.work.ToDeadLetters;
import dev.envelope.idempotency.work.WorkApplication;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** Makes the parts of the application, and the check of its cluster, from the settings. */
public final class ApplicationWiring {

    private ApplicationWiring() {}

    /**
     * The parts of the application; its handler makes spans, where there is tracing.
     *
     * @param outputs has looked at the brokers before
     */
    public static EnvelopeApplication.Parts parts(
            Settings settings,
            ConsumerSettings engine,
            HandlerSpec<?, ?> spec,
            DividedStore store,
            OutputsCheck outputs,
            Telemetry telemetry) {
        return new EnvelopeApplication.Parts(
                engine,
                HandlerWiring.fold(settings, spec),
                store,
                () ->
                        settings.hasBrokers()
                                ? new Deliveries(
                                        delivery(settings), sender(settings, outputs.delivery()))
                                : Deliveries.NONE,
                limits(settings),
                telemetry,
                handler -> traced(settings, handler));
    }

    /** The parts of an application that keeps no rows; its handler makes spans, too. */
    public static <M> WorkApplication.Parts<M> parts(
            Settings settings, ConsumerSettings engine, WorkSpec<M> spec, Telemetry telemetry) {
        return new WorkApplication.Parts<>(
                engine,
                spec.calls(),
                spec.valueFormat(),
                deadLetters(settings)
                        .map(
                                letters ->
                                        new ToDeadLetters(
                                                letters,
                                                delivery(settings),
                                                engine.applicationId()))
                        .orElse(null),
                new FailingShares(
                        settings.get(FailureKeys.STOP_SHARE), settings.get(FailureKeys.STOP_LEAST)),
                telemetry,
                handler -> traced(settings, handler));
    }

    private static EnvelopeHandler traced(Settings settings, EnvelopeHandler handler) {
        return TracedHandler.around(
                handler, GlobalOpenTelemetry.get(), settings.get(ReadKeys.APPLICATION_ID));
    }

    private static EnvelopeApplication.Limits limits(Settings settings) {
        return new EnvelopeApplication.Limits(
                settings.get(LimitKeys.CACHE_MAX_BYTES),
                new SetAsideLimits.Bounds(
                        settings.get(FailureKeys.PARKED_MAX_PER_KEY),
                        settings.get(FailureKeys.PARKED_MAX_PER_PARTITION),
                        settings.get(FailureKeys.STOP_SHARE),
                        settings.get(FailureKeys.STOP_LEAST)),
                new OutboxRoom.Limits(
                        settings.get(OutboxKeys.MAX_ROWS), settings.get(OutboxKeys.MAX_AGE)),
                new OutputRoom.Limits(
                        settings.get(OutboxKeys.MAX_ROWS), settings.get(OutputKeys.MAX_BYTES)),
                timersPerSecond(settings),
                new Retention(
                        settings.get(StoreKeys.DELETED_KEYS_RETENTION),
                        settings.get(StoreKeys.AUDIT_RETENTION),
                        settings.get(GatewayKeys.REPLIES_RETENTION)));
    }

    /** None while outputs are dropped: a firing is one of them, and would be lost for good. */
    private static int timersPerSecond(Settings settings) {
        return settings.has(OutputKeys.DELIVERY, Delivery.NONE::equals)
                ? 0
                : settings.get(OutputKeys.TIMERS_PER_SECOND);
    }

    /** The delivery of dead letters, whatever the policy is now: the outbox may have rows. */
    private static KafkaDelivery delivery(Settings settings) {
        Brokers brokers = brokers(settings);
        return new KafkaDelivery(brokers.producer(), brokers.admin(), brokers.servers());
    }

    /** How to reach the brokers, as a producer and as an admin client. */
    public static Brokers brokers(Settings settings) {
        String servers = EngineWiring.servers(settings);
        Map<String, Object> producer = new HashMap<>(settings.kafka().of(Client.PRODUCER));
        producer.put("bootstrap.servers", servers);
        return new Brokers(producer, EngineWiring.admin(settings), servers);
    }

    /** The sender of outputs, whatever the handler is now: there may be rows of an earlier one. */
    private static OutputSender sender(Settings settings, Delivery delivery) {
        Brokers brokers = brokers(settings);
        String application = settings.get(ReadKeys.APPLICATION_ID);
        Optional<TopicPartition> at = numbersAt(settings);
        return switch (delivery) {
            case EXACTLY_ONCE ->
                    new ExactlyOnce(
                            brokers, application, UUID.randomUUID().toString(), at.orElseThrow());
            case AT_LEAST_ONCE -> new AtLeastOnce(brokers, application, at.orElse(null));
            case NONE -> new MutedSender(brokers, application, at.orElse(null));
        };
    }

    /** The partition for which numbers of batches are committed; exactly-once has one. */
    private static Optional<TopicPartition> numbersAt(Settings settings) {
        return settings.find(OutputKeys.NUMBERS_TOPIC)
                .or(() -> settings.find(ReadKeys.TOPICS).map(it -> it.get(0)))
                .or(() -> settings.find(OutputKeys.EMIT_TOPIC))
                .or(() -> settings.find(OutboxKeys.TOPIC))
                .map(topic -> new TopicPartition(topic, 0));
    }

    /** The check of what outputs need in the cluster, before a start. */
    public static OutputsCheck outputs(Settings settings, HandlerSpec<?, ?> spec) {
        Optional<String> changelog = settings.find(OutputKeys.EMIT_TOPIC);
        boolean emits = spec.fold().emits() || changelog.isPresent();
        return new OutputsCheck(
                settings.find(OutputKeys.DELIVERY),
                numbersAt(settings)
                        .filter(at -> emits)
                        .map(
                                at ->
                                        new OutputRights(
                                                brokers(settings),
                                                settings.get(ReadKeys.APPLICATION_ID),
                                                UUID.randomUUID().toString(),
                                                at)),
                changelog.stream().toList());
    }

    /** The check of what timers and the gateway need in the cluster, before a start. */
    public static ServerCheck ownTopics(Settings settings) {
        boolean timers = settings.get(OutputKeys.TIMERS);
        List<String> read = settings.get(ReadKeys.TOPICS);
        List<String> written =
                timers
                        ? read
                        : settings.get(GatewayKeys.LISTEN).stream()
                                .map(it -> settings.find(GatewayKeys.TOPIC).orElse(read.get(0)))
                                .toList();
        Optional<OwnTopics> brokers =
                written.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new OwnTopics(
                                        brokers(settings),
                                        settings.get(ReadKeys.APPLICATION_ID),
                                        timers));
        return new OwnTopicsCheck(brokers, written);
    }

    /** The maker of dead letters, if the settings want them. */
    static Optional<DeadLetters> deadLetters(Settings settings) {
        return deadLetterTopic(settings)
                .map(
                        topic ->
                                new DeadLetters(
                                        topic,
                                        settings.get(ReadKeys.APPLICATION_ID),
                                        DeadLetterHeaders.valueOf(
                                                settings.get(OutboxKeys.HEADERS).name())));
    }

    /** The topic for dead letters, if the settings want them. */
    static Optional<String> deadLetterTopic(Settings settings) {
        return settings.get(FailureKeys.ON_FAILURE) == FailurePolicy.Last.DEAD_LETTER
                ? settings.find(OutboxKeys.TOPIC)
                : Optional.empty();
    }

    /** What is read, in words, with the numbers of partitions. */
    public static String reading(Settings settings, Map<String, Integer> partitions) {
        return "%s at %s as group %s"
                .formatted(
                        settings.get(ReadKeys.TOPICS).stream()
                                .map(it -> it + " (" + partitions.getOrDefault(it, 0) + ")")
                                .collect(Collectors.joining(", ")),
                        EngineWiring.servers(settings),
                        settings.get(ReadKeys.APPLICATION_ID));
    }

    /** The check of the cluster before a start. Where a table is read, no group is used. */
    public static KafkaCheck kafka(Settings settings) {
        return new KafkaCheck(
                EngineWiring.admin(settings),
                settings.find(ReadKeys.TOPICS).orElse(List.of()),
                settings.isOfTable()
                        ? Optional.empty()
                        : Optional.of(settings.get(ReadKeys.APPLICATION_ID)),
                deadLetterTopic(settings),
                settings.find(SlotKeys.ASSIGNMENT)
                        .filter(SlotKeys.Assignment.SLOTS::equals)
                        .isPresent());
    }
}
