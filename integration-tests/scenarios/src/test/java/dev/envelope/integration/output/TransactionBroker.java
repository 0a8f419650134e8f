package dev.envelope.integration.output;

import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.output.OutputSender.Batch;
import dev.envelope.idempotency.output.kafka.Brokers;
import dev.envelope.integration.stack.LocalBroker;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Topics;
import dev.envelope.integration.stack.Workspace;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.KafkaWire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A broker that makes topics by itself, with ACLs for those who come in by a second listener, and
 * with a network in front of a third.
 *
 * <p>Threads: one thread.
 */
final class TransactionBroker implements AutoCloseable {

    private static final String FEATURE = "transaction.version";
    private static final String USER = "worker";

    private final Workspace workspace = Workspace.open();
    private final int restricted = Ports.free();
    private final int behind = Ports.free();
    private final FaultProxy network = FaultProxy.start("broker", behind, new KafkaWire());
    private final LocalBroker broker;
    private final Topics topics;

    /** One for all tests of the run that ask for it. */
    static final class OfTheRun implements ParameterResolver {

        private static final ExtensionContext.Namespace NAMESPACE =
                ExtensionContext.Namespace.create(OfTheRun.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == TransactionBroker.class;
        }

        @Override
        public TransactionBroker resolveParameter(
                ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(NAMESPACE)
                    .computeIfAbsent(
                            "broker",
                            key -> new TransactionBroker(Map.of()),
                            TransactionBroker.class);
        }
    }

    /**
     * @param more settings of the broker
     */
    TransactionBroker(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>();
        String prefix = "listener.name.restricted.";
        settings.put("listeners", ",RESTRICTED://127.0.0.1:" + restricted);
        settings.put("listener.security.protocol.map", ",RESTRICTED:SASL_PLAINTEXT");
        settings.put("advertised.listeners", ",RESTRICTED://127.0.0.1:" + restricted);
        settings.put(prefix + "sasl.enabled.mechanisms", "PLAIN");
        settings.put(
                prefix + "plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_"
                        + (USER + "=\"secret\";"));
        settings.put(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("super.users", "User:ANONYMOUS"); // who comes by the other listeners
        settings.put("auto.create.topics.enable", "true");
        settings.putAll(more);
        broker =
                new LocalBroker(
                        workspace, settings, new LocalBroker.Detour(behind, network.port()));
        broker.start();
        topics = new Topics(broker.bootstrapServers());
    }

    Topics topics() {
        return topics;
    }

    FaultProxy network() {
        return network;
    }

    /** Sets transaction.version, which clients learn when they connect. */
    void transactionVersion(short version) {
        var now = get(topics.admin().describeFeatures().featureMetadata()).finalizedFeatures();
        var found = now.get(FEATURE);
        int before = found == null ? 0 : found.maxVersionLevel();
        if (before != version) {
            UpgradeType type =
                    version > before ? UpgradeType.UPGRADE : UpgradeType.UNSAFE_DOWNGRADE;
            get(
                    topics.admin()
                            .updateFeatures(
                                    Map.of(FEATURE, new FeatureUpdate(version, type)),
                                    new UpdateFeaturesOptions())
                            .all());
        }
    }

    /** The way in without limits. */
    Brokers direct() {
        return brokers(broker.bootstrapServers(), Map.of());
    }

    /** The way through a network that can fail, for clients that wait for a second only. */
    Brokers throughNetwork() {
        return brokers(
                "127.0.0.1:" + network.port(),
                Map.of(
                        "max.block.ms",
                        1_000,
                        "request.timeout.ms",
                        500,
                        "delivery.timeout.ms",
                        2_000));
    }

    /** The way in with the rights that were given. */
    Brokers restricted() {
        return brokers(
                "127.0.0.1:" + restricted,
                Map.of(
                        "security.protocol",
                        "SASL_PLAINTEXT",
                        "sasl.mechanism",
                        "PLAIN",
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required"
                                + (" username=\"" + USER + "\" password=\"secret\";")));
    }

    private static Brokers brokers(String servers, Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(more);
        properties.put("bootstrap.servers", servers);
        Map<String, Object> admin = new HashMap<>(properties);
        admin.keySet().removeAll(List.of("max.block.ms", "delivery.timeout.ms"));
        return new Brokers(properties, admin, servers);
    }

    void allow(ResourceType type, String name, PatternType pattern, AclOperation operation) {
        get(topics.admin().createAcls(List.of(right(type, name, pattern, operation))).all());
    }

    void forbid(ResourceType type, String name, PatternType pattern, AclOperation operation) {
        AclBinding right = right(type, name, pattern, operation);
        get(topics.admin().deleteAcls(List.of(right.toFilter())).all());
    }

    private static AclBinding right(
            ResourceType type, String name, PatternType pattern, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, name, pattern),
                new AccessControlEntry("User:" + USER, "*", operation, AclPermissionType.ALLOW));
    }

    Admin admin() {
        return topics.admin();
    }

    /** The values of all committed records of a topic, by partition and offset. */
    List<String> committed(String topic) {
        return read(topic, "read_committed");
    }

    /** The values of all records of a topic, also of those that were aborted. */
    List<String> written(String topic) {
        return read(topic, "read_uncommitted");
    }

    private List<String> read(String topic, String isolation) {
        return records(topic, isolation).stream()
                .map(it -> new String(it.value(), StandardCharsets.UTF_8))
                .toList();
    }

    /** All records of a topic, by partition and offset. */
    List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        return records(topic, "read_committed");
    }

    private List<ConsumerRecord<byte[], byte[]>> records(String topic, String isolation) {
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                broker.bootstrapServers(),
                                "isolation.level",
                                isolation),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    topics.describe(topic).orElseThrow().partitions().stream()
                            .map(it -> new TopicPartition(topic, it.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream()
                    .anyMatch(it -> consumer.position(it) < ends.getOrDefault(it, 0L))) {
                consumer.poll(Duration.ofMillis(50)).forEach(found::add);
            }
        }
        return found;
    }

    static ProducerRecord<byte @Nullable [], byte @Nullable []> record(
            String topic, @Nullable String key, String value) {
        return new ProducerRecord<>(
                topic,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends and commits a batch. */
    @SafeVarargs
    @SuppressWarnings("varargs") // it is only read
    static Map<Integer, String> send(
            OutputSender sender,
            long number,
            ProducerRecord<byte @Nullable [], byte @Nullable []>... records) {
        return send(sender, number, Arrays.asList(records));
    }

    static Map<Integer, String> send(
            OutputSender sender,
            long number,
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        Batch batch = sender.begin();
        batch.send(records);
        return batch.commit(number);
    }

    static <T> T get(KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        topics.close();
        network.close();
        workspace.close();
    }
}
