package dev.envelope.idempotency.output.kafka;

import dev.envelope.idempotency.output.kafka.OutputRights.Answer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the brokers whether the application may write to topics that it reads: commands of the
 * gateway and firings of timers. For timers a compacted topic is refused: a firing has the key of a
 * message and would have it removed.
 */
public final class OwnTopics {

    private static final Logger log = LoggerFactory.getLogger(OwnTopics.class);

    private final Asking asking;
    private final boolean timers;

    /**
     * @param timers whether firings of timers are written there, too
     */
    public OwnTopics(Brokers brokers, String applicationId, boolean timers) {
        this.asking = new Asking(brokers, new Acls(brokers.servers(), applicationId));
        this.timers = timers;
    }

    /** Asks for all topics, and reports all that is wrong. */
    public Answer ask(Collection<String> topics) {
        return asking.ask(
                admin -> {
                    List<String> problems = new ArrayList<>();
                    for (String topic : topics) {
                        asking.require(admin, topic, AclOperation.WRITE, problems);
                    }
                    if (timers && problems.isEmpty()) {
                        refuseCompacted(admin, topics, problems);
                    }
                    return Answer.refusedIfAny(problems);
                });
    }

    private static void refuseCompacted(
            Admin admin, Collection<String> topics, List<String> problems)
            throws ExecutionException, TimeoutException, InterruptedException {
        for (String topic : topics) {
            if (isCompacted(admin, topic)) {
                problems.add(
                        "the topic "
                                + topic
                                + " is compacted: the firing of a timer would replace the last"
                                + " message of its key; set cleanup.policy=delete on it, or"
                                + " timers=false");
            }
        }
    }

    private static boolean isCompacted(Admin admin, String topic)
            throws ExecutionException, TimeoutException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Config config =
                    Asking.answer(admin.describeConfigs(List.of(resource)).all()).get(resource);
            ConfigEntry policy =
                    config == null ? null : config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
            return policy != null && policy.value().contains(TopicConfig.CLEANUP_POLICY_COMPACT);
        } catch (ExecutionException e) {
            if (Asking.cause(e) instanceof AuthorizationException) {
                log.warn(
                        "whether the topic {} is compacted can't be asked (DescribeConfigs): a"
                                + " compacted topic loses messages to the firings of timers",
                        topic);
                return false;
            }
            throw e;
        }
    }
}
