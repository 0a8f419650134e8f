package dev.envelope.app.start;

import dev.envelope.app.logging.ToldBetter;
import dev.envelope.idempotency.outbox.KafkaDelivery;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the cluster answers, lets us in, has the topics, and lets us use the group.
 *
 * <p>Threads: one look at a time; what it found may be read by the thread that waited for the look.
 */
public final class KafkaCheck implements ServerCheck {

    private static final Duration LOOK = Duration.ofSeconds(4);
    private static final int CONNECT = 500; // milliseconds
    private static final String UNRESOLVED = "No resolvable bootstrap";

    private final Map<String, Object> properties;
    private final String servers;
    private final List<String> topics;
    private final String group;
    private final Optional<String> deadLetterTopic;
    private int looks;
    private volatile Map<String, Integer> partitions = Map.of();

    /**
     * @param admin what an admin client needs to reach the cluster
     * @param servers the brokers, to be named in messages
     * @param deadLetterTopic where dead letters go, if there are any
     */
    public KafkaCheck(
            Map<String, Object> admin,
            String servers,
            List<String> topics,
            String group,
            Optional<String> deadLetterTopic) {
        this.properties = new HashMap<>(admin);
        this.properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) LOOK.toMillis());
        this.properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) LOOK.toMillis());
        this.properties.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        this.servers = servers;
        this.topics = List.copyOf(topics);
        this.group = group;
        this.deadLetterTopic = deadLetterTopic;
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
        Admin admin;
        try {
            admin = Admin.create(named());
        } catch (KafkaException e) {
            return unopened(e);
        }
        try {
            List<String> refused = new ArrayList<>();
            find(admin, refused);
            askGroup(admin, refused);
            if (deadLetterTopic.isPresent()) {
                askDeadLetters(admin, deadLetterTopic.get(), refused);
            }
            return refused.isEmpty() ? new Verdict.Ready() : new Verdict.Refused(refused);
        } catch (Silent e) {
            return silent();
        } catch (ExecutionException e) {
            return verdict(cause(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Verdict.Waiting("interrupted");
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    /** Each client has a name of its own: the one before may still be closing. */
    private Map<String, Object> named() {
        Map<String, Object> named = new HashMap<>(properties);
        named.putIfAbsent(AdminClientConfig.CLIENT_ID_CONFIG, ToldBetter.CLIENT_ID + ++looks);
        return named;
    }

    private void find(Admin admin, List<String> refused)
            throws Silent, ExecutionException, InterruptedException {
        Map<String, Integer> found = new TreeMap<>();
        Map<String, KafkaFuture<TopicDescription>> answers =
                admin.describeTopics(topics).topicNameValues();
        for (String topic : topics) {
            KafkaFuture<TopicDescription> answer = answers.get(topic);
            if (answer == null) {
                continue;
            }
            try {
                found.put(topic, get(answer).partitions().size());
            } catch (ExecutionException e) {
                String sentence = aboutTopic(topic, cause(e));
                if (sentence == null) {
                    throw e;
                }
                refused.add(sentence);
            }
        }
        partitions = Map.copyOf(found);
    }

    private static @Nullable String aboutTopic(String topic, Throwable cause) {
        if (cause instanceof UnknownTopicOrPartitionException) {
            return "the topic " + topic + " does not exist: create it, or correct topics";
        } else if (cause instanceof InvalidTopicException) {
            return "the name " + topic + " is not one that a topic can have: correct topics";
        } else if (cause instanceof AuthorizationException) {
            return "the cluster does not let us read the topic "
                    + topic
                    + ": allow READ and DESCRIBE on it";
        }
        return null;
    }

    private void askDeadLetters(Admin admin, String topic, List<String> refused)
            throws Silent, ExecutionException, InterruptedException {
        try {
            get(admin.describeTopics(List.of(topic)).allTopicNames());
        } catch (ExecutionException e) {
            if (cause(e) instanceof UnknownTopicOrPartitionException) {
                refused.add(
                        "the topic "
                                + topic
                                + " for dead letters does not exist: "
                                + KafkaDelivery.howToMake(topic, servers)
                                + ", or correct dead.letter.topic");
            } else if (cause(e) instanceof AuthorizationException) {
                refused.add(
                        "the cluster does not let us see the topic "
                                + topic
                                + " for dead letters: allow WRITE and DESCRIBE on it");
            } else {
                throw e;
            }
        }
    }

    private void askGroup(Admin admin, List<String> refused)
            throws Silent, ExecutionException, InterruptedException {
        try {
            get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        } catch (ExecutionException e) {
            if (!(cause(e) instanceof AuthorizationException)) {
                throw e;
            }
            refused.add(
                    "the cluster does not let us use the consumer group "
                            + group
                            + " (application.id): allow READ on it");
        }
    }

    /** The client could not even be made: a setting, or a name that nobody knows. */
    private Verdict unopened(KafkaException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof ConfigException && message.startsWith(UNRESOLVED)) {
            return new Verdict.Waiting("no host of " + servers + " can be resolved");
        }
        return new Verdict.Refused(
                List.of(
                        "the Kafka client refuses its settings: "
                                + message
                                + whatIsMissing(cause)
                                + " (see kafka.*)"));
    }

    /** A setting that is refused, or a class, deep below; others might quote a secret. */
    private static String whatIsMissing(Throwable outer) {
        Throwable inner = outer;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        boolean isTold =
                inner instanceof ConfigException
                        || inner instanceof LinkageError
                        || inner instanceof ClassNotFoundException;
        return isTold && inner != outer
                ? ": " + inner.getClass().getSimpleName() + ": " + inner.getMessage()
                : "";
    }

    /** A port that is another server's, or wants TLS, looks like a broker that is away. */
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
            return new Verdict.Refused(
                    List.of(
                            "the broker does not let us in: "
                                    + message
                                    + innermost(cause)
                                    + " (check kafka.security.protocol, kafka.sasl.*, kafka.ssl.*)"));
        } else if (cause instanceof AuthorizationException) {
            return new Verdict.Refused(List.of("the cluster refuses a request: " + message));
        } else if (cause instanceof UnsupportedVersionException) {
            return new Verdict.Refused(List.of("the broker is too old: " + message));
        } else if (cause instanceof org.apache.kafka.common.errors.TimeoutException) {
            return silent();
        }
        return new Verdict.Waiting(message);
    }

    /** What a handshake that failed has failed of; empty where that has been said. */
    private static String innermost(Throwable outer) {
        Throwable inner = outer;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner == outer ? "" : ", " + inner.getMessage();
    }

    private static Throwable cause(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }

    private static <T> T get(KafkaFuture<T> answer)
            throws Silent, ExecutionException, InterruptedException {
        try {
            return answer.get(LOOK.toMillis() + 500, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new Silent(e);
        }
    }

    /** The client itself did not come back in time. */
    private static final class Silent extends Exception {

        private static final long serialVersionUID = 1L;

        Silent(Throwable cause) {
            super(cause);
        }
    }
}
