package dev.envelope.idempotency.command;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Topic;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ids and numbers of partitions of topics, as the brokers said last.
 *
 * <p>Threads: thread-safe (what was seen is one volatile reference); one thread looks.
 */
public final class TopicsNow {

    private static final String NOT_ASKED = "the brokers were not asked yet";

    private static final Logger log = LoggerFactory.getLogger(TopicsNow.class);

    private final TopicAdmin admin;
    private final Set<String> names;
    private volatile Seen seen = new Seen(Map.of(), NOT_ASKED);

    /**
     * What was seen.
     *
     * @param trouble why the last look failed; empty if it did not
     */
    private record Seen(Map<String, Topic> topics, String trouble) {}

    public TopicsNow(TopicAdmin admin, Set<String> names) {
        this.admin = admin;
        this.names = Set.copyOf(names);
    }

    /** Asks the brokers; what was seen before stays if they do not answer. */
    public void look() {
        Seen before = seen;
        try {
            seen = new Seen(Map.copyOf(admin.describe(names)), "");
            if (!before.trouble.isEmpty() && !before.trouble.equals(NOT_ASKED)) {
                log.info("the brokers answer: {}", seen.topics.keySet());
            }
        } catch (UnavailableException e) {
            seen = new Seen(before.topics, "the brokers do not answer: " + Words.describe(e));
            if (before.trouble.isEmpty() || before.trouble.equals(NOT_ASKED)) {
                log.warn("{}; commands are turned away", seen.trouble);
            }
        }
    }

    /** The topics that are looked at. */
    Set<String> names() {
        return names;
    }

    /** A topic, if it was there when the brokers answered last. */
    public @Nullable Topic find(String name) {
        return seen.topics.get(name);
    }

    /** All topics that were there when the brokers answered last. */
    Map<String, Topic> all() {
        return seen.topics;
    }

    /** Why the last look failed; empty if it did not. */
    public String trouble() {
        return seen.trouble;
    }
}
