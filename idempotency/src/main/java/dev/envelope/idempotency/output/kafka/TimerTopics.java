package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.output.kafka.OutputRights.Answer;
import dev.envelope.idempotency.output.kafka.OutputRights.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the brokers whether firings of timers may be written to the application's own topics. A
 * compacted topic is refused: a firing has the key of a message and would have it removed.
 */
public final class TimerTopics {

    private static final Logger log = LoggerFactory.getLogger(TimerTopics.class);
    private static final int ANSWER_MILLIS = 5_000;

    private final Brokers brokers;
    private final Acls acls;

    public TimerTopics(Brokers brokers, String applicationId) {
        this.brokers = brokers;
        this.acls = new Acls(brokers.servers(), applicationId);
    }

    /** Asks for all topics, and reports all that is wrong. */
    public Answer ask(Collection<String> topics) {
        Admin admin;
        try {
            admin = brokers.ask(ANSWER_MILLIS);
        } catch (KafkaException e) {
            return Answer.of(Finding.WAITING, Words.describeWithCause(e));
        }
        try {
            List<String> problems = new ArrayList<>();
            DescribeTopicsOptions withRights =
                    new DescribeTopicsOptions().includeAuthorizedOperations(true);
            Map<String, TopicDescription> found =
                    answer(admin.describeTopics(topics, withRights).allTopicNames());
            for (String topic : topics) {
                TopicDescription description = found.get(topic);
                if (description != null
                        && description.authorizedOperations() != null
                        && !description.authorizedOperations().contains(AclOperation.WRITE)) {
                    problems.add(acls.write(topic));
                } else if (isCompacted(admin, topic)) {
                    problems.add(
                            "the topic "
                                    + topic
                                    + " is compacted: the firing of a timer would replace the last"
                                    + " message of its key; set cleanup.policy=delete on it, or"
                                    + " timers=false");
                }
            }
            return new Answer(
                    problems.isEmpty() ? Finding.GRANTED : Finding.REFUSED, List.copyOf(problems));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return Answer.of(Finding.WAITING, Words.describeWithCause(cause));
        } catch (TimeoutException e) {
            return Answer.of(Finding.WAITING, "nobody answers at " + brokers.servers());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.of(Finding.WAITING, "interrupted");
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    private static boolean isCompacted(Admin admin, String topic)
            throws ExecutionException, TimeoutException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Config config = answer(admin.describeConfigs(List.of(resource)).all()).get(resource);
            ConfigEntry policy =
                    config == null ? null : config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
            return policy != null && policy.value().contains(TopicConfig.CLEANUP_POLICY_COMPACT);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AuthorizationException) {
                log.warn(
                        "whether the topic {} is compacted can't be asked (DescribeConfigs): a"
                                + " compacted topic loses messages to the firings of timers",
                        topic);
                return false;
            }
            throw e;
        }
    }

    private static <T> T answer(KafkaFuture<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(2L * ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    }
}
