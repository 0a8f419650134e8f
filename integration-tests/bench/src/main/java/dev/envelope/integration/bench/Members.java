package dev.envelope.integration.bench;

import dev.envelope.integration.stack.Topics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.common.GroupState;

/**
 * Who is in a group.
 *
 * <p>Threads: immutable.
 */
final class Members {

    private static final long PAUSE_MILLIS = 50;

    private Members() {}

    /** Returns when two members have partitions and the group is at rest. */
    static void awaitTwo(Topics topics, String group, Duration patience)
            throws InterruptedException, IOException, Disqualified {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!areTwo(describe(topics, group))) {
            if (System.nanoTime() > deadline) {
                throw new Disqualified("the second instance has got no partition");
            }
            Thread.sleep(PAUSE_MILLIS); // a broker tells nobody of a group: it is asked
        }
    }

    private static boolean areTwo(ConsumerGroupDescription group) {
        return group.groupState() == GroupState.STABLE
                && group.members().size() == 2
                && group.members().stream()
                        .noneMatch(it -> it.assignment().topicPartitions().isEmpty());
    }

    private static ConsumerGroupDescription describe(Topics topics, String group)
            throws InterruptedException, IOException {
        try {
            return topics.admin()
                    .describeConsumerGroups(List.of(group))
                    .all()
                    .get()
                    .values()
                    .iterator()
                    .next();
        } catch (ExecutionException e) {
            throw new IOException("the group " + group + " could not be described", e);
        }
    }
}
