package dev.envelope.app.start;

import dev.envelope.app.logging.ToldBetter;
import dev.envelope.idempotency.outbox.TopicFinder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * Checks that the cluster answers, authenticates us, has the topics, and lets us use the group, if
 * there is one.
 *
 * <p>Threads: one check at a time; its findings may be read by the thread that waited for it.
 */
public final class KafkaCheck implements ServerCheck {

    private static final Duration LOOK = Duration.ofSeconds(4);
    private static final int CONNECT = 500; // milliseconds
    private static final String UNRESOLVED = "No resolvable bootstrap";

    private final Map<String, Object> admin;
    private final String servers;
    private final List<String> topics;
    private final Optional<String> group;
    private final Optional<String> deadLetterTopic;
    private final boolean isAlone;
    private int looks;
    private volatile Map<String, Integer> partitions = Map.of();

    /**
     * @param admin what an admin client needs to reach the cluster
     * @param group the consumer group, if there is one
     * @param deadLetterTopic the topic for dead letters, if there is one
     * @param isAlone whether nobody may be a member of the group, since slots divide the partitions
     */
    public KafkaCheck(
            Map<String, Object> admin,
            List<String> topics,
            Optional<String> group,
            Optional<String> deadLetterTopic,
            boolean isAlone) {
        this.admin = Map.copyOf(admin);
        this.servers = String.valueOf(admin.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG));
        this.topics = List.copyOf(topics);
        this.group = group;
        this.deadLetterTopic = deadLetterTopic;
        this.isAlone = isAlone;
    }

    @Override
    public String name() {
        return "the broker";
    }

    /** The number of partitions of each topic that was found. */
    public Map<String, Integer> partitions() {
        return partitions;
    }

    @Override
    public Verdict look() {
        Admin client;
        try {
            client = Admin.create(properties());
        } catch (KafkaException e) {
            return unopened(e);
        }
        try {
            List<String> refused = ask(client);
            if (!refused.isEmpty() || group.isEmpty() || !isAlone) {
                return Verdict.refusing(refused);
            }
            List<String> members = members(client, group.get());
            return members.isEmpty()
                    ? new Verdict.Ready()
                    : new Verdict.Waiting(
                            "the consumer group %s still has members, which read what slots divide: end %s"
                                    .formatted(group.get(), String.join(", ", members)));
        } catch (TimeoutException e) { // the client itself did not return in time
            return silent();
        } catch (ExecutionException e) {
            return verdict(cause(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Verdict.Waiting("interrupted");
        } finally {
            client.close(Duration.ZERO);
        }
    }

    /** Each client has an id of its own, since the one before may still be closing. */
    private Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>(admin);
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) LOOK.toMillis());
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) LOOK.toMillis());
        properties.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        properties.putIfAbsent(AdminClientConfig.CLIENT_ID_CONFIG, ToldBetter.CLIENT_ID + ++looks);
        return properties;
    }

    /** Makes all requests; returns what the cluster refuses, in sentences. */
    private List<String> ask(Admin client)
            throws TimeoutException, ExecutionException, InterruptedException {
        List<String> refused = new ArrayList<>();
        Map<String, Integer> found = new TreeMap<>();
        var topicAnswers = client.describeTopics(topics).topicNameValues();
        for (String topic : topics) {
            ask(
                            Objects.requireNonNull(topicAnswers.get(topic)),
                            refused,
                            Map.of(
                                    UnknownTopicOrPartitionException.class,
                                    "the topic %s does not exist: create it, or correct topics",
                                    InvalidTopicException.class,
                                    "the name %s is not one that a topic can have: correct topics",
                                    AuthorizationException.class,
                                    "the cluster does not let us read the topic %s: allow READ and"
                                            + " DESCRIBE on it"),
                            topic)
                    .ifPresent(it -> found.put(topic, it.partitions().size()));
        }
        partitions = Map.copyOf(found);
        if (group.isPresent()) {
            ask(
                    client.listConsumerGroupOffsets(group.get()).partitionsToOffsetAndMetadata(),
                    refused,
                    Map.of(
                            AuthorizationException.class,
                            "the cluster does not let us use the consumer group %s"
                                    + " (application.id): allow READ on it"),
                    group.get());
        } else {
            ask(client.describeCluster().clusterId(), refused, Map.of());
        }
        if (deadLetterTopic.isPresent()) {
            String topic = deadLetterTopic.get();
            ask(
                    client.describeTopics(List.of(topic)).allTopicNames(),
                    refused,
                    Map.of(
                            UnknownTopicOrPartitionException.class,
                            "the topic %s for dead letters does not exist: %s, or correct"
                                    + " dead.letter.topic",
                            AuthorizationException.class,
                            "the cluster does not let us see the topic %s for dead letters: allow"
                                    + " WRITE and DESCRIBE on it"),
                    topic,
                    TopicFinder.howToMake(topic, servers));
        }
        return refused;
    }

    /** Who is in the group, by client id and host. */
    private static List<String> members(Admin client, String of)
            throws TimeoutException, ExecutionException, InterruptedException {
        try {
            return client
                    .describeConsumerGroups(List.of(of))
                    .all()
                    .get(LOOK.toMillis() + 500, TimeUnit.MILLISECONDS)
                    .values()
                    .stream()
                    .flatMap(it -> it.members().stream())
                    .map(it -> it.clientId() + " on " + it.host())
                    .sorted()
                    .toList();
        } catch (ExecutionException e) {
            if (cause(e) instanceof GroupIdNotFoundException) { // as newer brokers say it
                return List.of();
            }
            throw e;
        }
    }

    /**
     * Waits for an answer.
     *
     * @param refused receives the sentence, if the cluster refuses
     * @param sentences by the exceptions that are refusals
     * @param names the arguments of a sentence
     */
    private static <T> Optional<T> ask(
            KafkaFuture<T> answer,
            List<String> refused,
            Map<Class<? extends Exception>, String> sentences,
            Object... names)
            throws TimeoutException, ExecutionException, InterruptedException {
        try {
            return Optional.of(answer.get(LOOK.toMillis() + 500, TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            String sentence =
                    sentences.entrySet().stream()
                            .filter(it -> it.getKey().isInstance(cause(e)))
                            .map(Map.Entry::getValue)
                            .findFirst()
                            .orElseThrow(() -> e);
            refused.add(sentence.formatted(names));
            return Optional.empty();
        }
    }

    /** The client could not be created: a wrong setting, or a host that can't be resolved. */
    private Verdict unopened(KafkaException e) {
        Throwable cause = cause(e);
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof ConfigException && message.startsWith(UNRESOLVED)) {
            return new Verdict.Waiting("no host of " + servers + " can be resolved");
        }
        return refused(
                "the Kafka client refuses its settings: "
                        + message
                        + whatIsMissing(cause)
                        + " (see kafka.*)");
    }

    /** The innermost cause, if it is a setting or a class; others might quote a secret. */
    private static String whatIsMissing(Throwable outer) {
        Throwable inner = innermost(outer);
        boolean isTold =
                inner instanceof ConfigException
                        || inner instanceof LinkageError
                        || inner instanceof ClassNotFoundException;
        return isTold && inner != outer
                ? ": " + inner.getClass().getSimpleName() + ": " + inner.getMessage()
                : "";
    }

    /**
     * No answer: another server's port, or one that expects TLS, looks like a broker that is away.
     */
    private Verdict silent() {
        return new Verdict.Waiting(
                isReached()
                        ? servers
                                + " is reached, but does not answer as a broker would: check the"
                                + " port, and kafka.security.protocol"
                        : "nobody answers at " + servers);
    }

    private boolean isReached() {
        for (String server : servers.split(",", -1)) {
            int colon = server.lastIndexOf(':');
            try (Socket socket = new Socket()) {
                int port = Integer.parseInt(server.substring(colon + 1));
                socket.connect(new InetSocketAddress(server.substring(0, colon), port), CONNECT);
                return true;
            } catch (IOException e) {
                // the next one
            }
        }
        return false;
    }

    private Verdict verdict(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof AuthenticationException) {
            Throwable inner = innermost(cause); // why a handshake failed
            return refused(
                    "the broker does not let us in: "
                            + message
                            + (inner == cause ? "" : ", " + inner.getMessage())
                            + " (check kafka.security.protocol, kafka.sasl.*, kafka.ssl.*)");
        } else if (cause instanceof AuthorizationException) {
            return refused("the cluster refuses a request: " + message);
        } else if (cause instanceof UnsupportedVersionException) {
            return refused("the broker is too old: " + message);
        } else if (cause instanceof org.apache.kafka.common.errors.TimeoutException) {
            return silent();
        }
        return new Verdict.Waiting(message);
    }

    private static Verdict refused(String sentence) {
        return new Verdict.Refused(List.of(sentence));
    }

    private static Throwable innermost(Throwable outer) {
        Throwable inner = outer;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    private static Throwable cause(Exception e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
