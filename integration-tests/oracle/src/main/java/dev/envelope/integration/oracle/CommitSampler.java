package dev.envelope.integration.oracle;

import dev.envelope.idempotency.testkit.CommitNotAheadOfAck;
import dev.envelope.idempotency.testkit.Evidence;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.idempotency.testkit.LogRecord;
import dev.envelope.idempotency.testkit.Place;
import dev.envelope.integration.stack.Topics;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a running group, again and again: Kafka's commits first, then what Postgres knows. What
 * is below a commit must be durable by then.
 *
 * <p>Threads: one at a time; it reads the log as it goes, and shares the replay with nobody while
 * it does.
 */
public final class CommitSampler {

    private final Topics topics;
    private final String group;
    private final ReferenceReplay truth;
    private final StoredRows stored;
    private final Findings findings;
    private final Map<Integer, Long> checked = new HashMap<>();
    private int samples;

    public CommitSampler(
            Topics topics,
            String group,
            ReferenceReplay truth,
            StoredRows stored,
            Findings findings) {
        this.topics = topics;
        this.group = group;
        this.truth = truth;
        this.stored = stored;
        this.findings = findings;
    }

    /** One look; one that finds commits which have moved on is a sample. */
    public void sample() {
        Map<TopicPartition, Long> commits = new HashMap<>();
        topics.committed(group)
                .forEach((partition, commit) -> commits.put(partition, offset(commit)));
        Map<String, Map<Integer, Long>> marks = stored.marks(stored.partitions());
        Set<Place> parked = stored.parked().keySet();
        truth.readTo(commits);
        commits.forEach(
                (partition, next) -> {
                    int source = partition.partition();
                    long from = checked.getOrDefault(source, 0L);
                    if (next > from) {
                        samples++;
                    }
                    CommitNotAheadOfAck.check(
                            new Evidence.Committed(source, next, group, 0),
                            from,
                            truth.expected().log(),
                            record -> isDurable(record, marks, parked),
                            findings);
                    checked.merge(source, next, Math::max);
                });
    }

    /**
     * The database has been taken back: what is below the commits of now need not be durable before
     * they move on.
     */
    public void skipToPresentCommits() {
        topics.committed(group)
                .forEach(
                        (partition, commit) ->
                                checked.merge(partition.partition(), offset(commit), Math::max));
    }

    private static boolean isDurable(
            LogRecord record, Map<String, Map<Integer, Long>> marks, Set<Place> parked) {
        Place place = record.place();
        @Nullable String key = record.key();
        return parked.contains(place)
                || (key != null
                        && marks.getOrDefault(key, Map.of()).getOrDefault(place.source(), 0L)
                                > place.offset());
    }

    private static long offset(@Nullable OffsetAndMetadata commit) {
        return commit == null ? 0 : commit.offset();
    }

    /** How often a commit that had moved on was looked at. */
    public int samples() {
        return samples;
    }
}
