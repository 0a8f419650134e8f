package dev.envelope.integration.soak;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.oracle.Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Holds the checkpoints against the commits, again and again: none goes back, and no commit is
 * ahead of its checkpoint, which is the lowest where rows are divided.
 *
 * <p>Threads: one at a time.
 */
final class CheckpointWatch {

    private static final String READ =
            "SELECT s.partition, max(c.next_offset) FROM %1$s.checkpoint c JOIN %1$s.source s ON"
                    + " s.number = c.source GROUP BY s.partition";

    private final List<Schema> slots;
    private final Findings findings;
    private final Map<Schema, Map<Integer, Long>> highest = new HashMap<>();
    private final Map<Integer, Long> excused = new HashMap<>();

    CheckpointWatch(List<Schema> slots, Findings findings) {
        this.slots = List.copyOf(slots);
        this.findings = findings;
    }

    /**
     * One look.
     *
     * @param commits read before
     */
    void look(Map<TopicPartition, OffsetAndMetadata> commits) {
        Map<Integer, Long> checkpoints = new HashMap<>();
        slots.forEach(
                slot -> read(slot).forEach((it, next) -> checkpoints.merge(it, next, Math::min)));
        offsets(commits)
                .forEach(
                        (partition, commit) -> {
                            long checkpoint = checkpoints.getOrDefault(partition, 0L);
                            if (commit > checkpoint
                                    && commit > excused.getOrDefault(partition, 0L)) {
                                findings.add(
                                        Anomaly.COMMIT_AHEAD,
                                        "commit %d of partition %d, checkpoint %d"
                                                .formatted(commit, partition, checkpoint));
                            }
                        });
    }

    /** The database has been taken back, below what these commits say. */
    void excuse(Map<TopicPartition, OffsetAndMetadata> commits) {
        highest.clear();
        offsets(commits).forEach((partition, next) -> excused.merge(partition, next, Math::max));
    }

    private static Map<Integer, Long> offsets(Map<TopicPartition, OffsetAndMetadata> commits) {
        Map<Integer, Long> offsets = new HashMap<>();
        commits.forEach(
                (partition, commit) -> {
                    if (commit != null) {
                        offsets.put(partition.partition(), commit.offset());
                    }
                });
        return offsets;
    }

    private Map<Integer, Long> read(Schema slot) {
        Map<Integer, Long> checkpoints = new HashMap<>();
        Map<Integer, Long> before = highest.computeIfAbsent(slot, it -> new HashMap<>());
        try (Connection connection = slot.database().connect();
                Statement statement = connection.createStatement();
                ResultSet line = statement.executeQuery(READ.formatted(slot.name()))) {
            while (line.next()) {
                int partition = line.getInt(1);
                long next = line.getLong(2);
                checkpoints.put(partition, next);
                long last = before.getOrDefault(partition, 0L);
                if (next < last) {
                    findings.add(
                            Anomaly.NON_MONOTONIC,
                            "checkpoint of %d in %s: %d after %d"
                                    .formatted(partition, slot.name(), next, last));
                }
                before.put(partition, next);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the checkpoints can't be read", e);
        }
        return checkpoints;
    }
}
