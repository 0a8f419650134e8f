package dev.envelope.integration.demo.payments;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.Topics;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Looks into the database, by a way that is never slow, for what has become of the payments.
 *
 * <p>Threads: immutable.
 */
record Audit(Topics topics, String topic, Database database, String schema) {

    /** In one statement, so that rows and parked messages are of one moment. */
    private static final String ACCOUNTS =
            """
            SELECT key, false, coalesce((state::jsonb->>'payments')::bigint, 0),
                   coalesce(((state::jsonb->>'balance')::numeric * 100)::bigint, 0)
            FROM %1$s.state
            UNION ALL
            SELECT row_key, true, count(*),
                   sum((convert_from(value, 'UTF8')::jsonb->>'amount')::numeric * 100)::bigint
            FROM %1$s.parked WHERE value <> ? GROUP BY row_key
            """;

    /** Whether all that is in the log is durable, and the group has committed that. */
    boolean isSettled() {
        Map<TopicPartition, OffsetAndMetadata> committed = topics.committed(schema);
        return topics.endOffsets(topic).entrySet().stream()
                .allMatch(
                        end -> {
                            OffsetAndMetadata commit = committed.get(end.getKey());
                            return end.getValue() == (commit == null ? 0 : commit.offset());
                        });
    }

    /** Only true of a moment in which it is settled. */
    Comparison compare(Sent sent) {
        Map<String, PaymentSum> rows = new HashMap<>();
        Map<String, PaymentSum> parked = new HashMap<>();
        try (Connection connection = database.connect();
                PreparedStatement query = connection.prepareStatement(ACCOUNTS.formatted(schema))) {
            query.setBytes(1, Payments.POISON.getBytes(StandardCharsets.UTF_8));
            try (ResultSet found = query.executeQuery()) {
                while (found.next()) {
                    (found.getBoolean(2) ? parked : rows)
                            .put(
                                    found.getString(1),
                                    new PaymentSum(found.getLong(3), found.getLong(4)));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the rows can't be read: " + e.getMessage(), e);
        }
        return Comparison.of(sent.accounts(), rows, parked);
    }

    /** How many messages of all keys are parked. */
    int parked() {
        try (Connection connection = database.connect();
                PreparedStatement query =
                        connection.prepareStatement("SELECT count(*) FROM " + schema + ".parked");
                ResultSet count = query.executeQuery()) {
            return count.next() ? count.getInt(1) : 0;
        } catch (SQLException e) {
            throw new IllegalStateException("what is parked can't be read: " + e.getMessage(), e);
        }
    }
}
