package dev.envelope.idempotency.outbox;

import dev.envelope.core.api.Words;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Finds topics before a producer sends to them: a producer creates a missing topic if the brokers
 * allow it, an admin client creates none. What was found is not asked for again.
 *
 * <p>Threads: one thread, the relay's.
 */
public final class TopicFinder {

    private static final int ASK_MILLIS = 5_000;

    private final Map<String, Object> adminProperties;
    private final String servers;
    private final Set<String> known = new HashSet<>();
    private final Leaders leaders = new Leaders();

    /**
     * Why a topic was not found.
     *
     * @param isOfTheTopic whether other topics may be found all the same
     */
    public record NotFound(String why, boolean isOfTheTopic) {}

    /**
     * @param adminProperties the user's properties for the admin client
     * @param servers the brokers, for messages
     */
    public TopicFinder(Map<String, Object> adminProperties, String servers) {
        this.adminProperties = Map.copyOf(adminProperties);
        this.servers = servers;
    }

    /** Looks topics up; returns those that were not found. */
    public Map<String, NotFound> find(Collection<String> topics) {
        Set<String> unknown = new LinkedHashSet<>(topics);
        unknown.removeAll(known);
        Map<String, NotFound> notFound = new HashMap<>();
        if (unknown.isEmpty()) {
            return notFound;
        }
        Map<String, Object> properties = new HashMap<>(adminProperties);
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ASK_MILLIS);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ASK_MILLIS);
        properties.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        Admin admin;
        try {
            admin = Admin.create(properties);
        } catch (KafkaException e) {
            NotFound why = new NotFound(Words.describe(cause(e)), false);
            unknown.forEach(topic -> notFound.put(topic, why));
            return notFound;
        }
        try {
            admin.describeTopics(unknown)
                    .topicNameValues()
                    .forEach((topic, answer) -> await(topic, answer, notFound));
        } finally {
            admin.close(Duration.ZERO);
        }
        return notFound;
    }

    private void await(
            String topic, KafkaFuture<TopicDescription> answer, Map<String, NotFound> notFound) {
        try {
            NotFound problem = leaders.look(answer.get(2L * ASK_MILLIS, TimeUnit.MILLISECONDS));
            if (problem == null) {
                known.add(topic);
            } else {
                notFound.put(topic, problem);
            }
        } catch (ExecutionException e) {
            notFound.put(topic, notFound(topic, cause(e)));
        } catch (TimeoutException e) {
            notFound.put(topic, nobodyAnswers());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            notFound.put(topic, new NotFound("interrupted", false));
        }
    }

    private NotFound notFound(String topic, Throwable cause) {
        if (cause instanceof UnknownTopicOrPartitionException) {
            return new NotFound(
                    "the topic " + topic + " does not exist: " + howToMake(topic, servers), true);
        } else if (cause instanceof AuthorizationException) {
            return new NotFound(
                    "the cluster does not let us write to the topic "
                            + topic
                            + ": allow WRITE and DESCRIBE on it",
                    true);
        } else if (cause instanceof org.apache.kafka.common.errors.TimeoutException) {
            return nobodyAnswers();
        }
        return new NotFound(Words.describe(cause), cause instanceof InvalidTopicException);
    }

    private NotFound nobodyAnswers() {
        return new NotFound("nobody answers at " + servers, false);
    }

    /** Forgets what was found: it may have been deleted meanwhile. */
    public void forget() {
        known.clear();
    }

    /** The command that creates a missing topic. */
    public static String howToMake(String topic, String servers) {
        return "make it, for example with kafka-topics.sh --bootstrap-server "
                + servers
                + " --create --topic "
                + topic;
    }

    private static Throwable cause(Exception e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
