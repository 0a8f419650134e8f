package dev.envelope.integration.soak;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Holds the checkpoints against the commits, again and again: none goes back, and no commit is
 * ahead of its checkpoint.
 *
 * <p>Threads: one at a time.
 */
final class CheckpointWatch {

    private static final String READ =
            "SELECT s.partition, max(c.next_offset) FROM %1$s.checkpoint c JOIN %1$s.source s ON"
                    + " s.number = c.source GROUP BY s.partition";

    private final Database database;
    private final Findings findings;
    private final Map<Integer, Long> highest = new HashMap<>();
    private final Map<Integer, Long> excused = new HashMap<>();

    CheckpointWatch(Database database, Findings findings) {
        this.database = database;
        this.findings = findings;
    }

    /**
     * One look.
     *
     * @param commits read before
     */
    void look(Map<TopicPartition, OffsetAndMetadata> commits) {
        Map<Integer, Long> checkpoints = read();
        checkpoints.forEach(
                (partition, next) -> {
                    long before = highest.getOrDefault(partition, 0L);
                    if (next < before) {
                        findings.add(
                                Anomaly.NON_MONOTONIC,
                                "checkpoint of " + partition + ": " + next + " after " + before);
                    }
                    highest.put(partition, next);
                });
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

    private Map<Integer, Long> read() {
        Map<Integer, Long> checkpoints = new HashMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet line = statement.executeQuery(READ.formatted(ConsumerGroup.SCHEMA))) {
            while (line.next()) {
                checkpoints.put(line.getInt(1), line.getLong(2));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the checkpoints can't be read", e);
        }
        return checkpoints;
    }
}
