package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;

/**
 * Copies of sources in Postgres. Which slots a source feeds is in the home slot's {@code
 * checkpoint}: a row with the slot's number plus one, beside the source's own with 0.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
public final class PostgresSourceCopies implements SourceCopies {

    private static final String FED =
            "SELECT source, slot - 1 FROM %1$s.checkpoint WHERE slot > 0 ORDER BY source, slot";

    private static final String FEEDS =
            "INSERT INTO %1$s.checkpoint (source, slot, next_offset, leader_epoch)"
                    + " VALUES (?, ?, 0, -1) ON CONFLICT (source, slot) DO NOTHING";

    private static final String ALL =
            "SELECT number, topic, partition, topic_id, first_topic_id, generation, start_offset,"
                    + " start_epoch, growth, growth = 0 OR settled_at IS NOT NULL"
                    + " FROM %1$s.source ORDER BY number";

    private static final String COPY =
            "INSERT INTO %1$s.source (number, topic, partition, topic_id, first_topic_id,"
                    + " generation, start_offset, start_epoch, growth, settled_at)"
                    + " OVERRIDING SYSTEM VALUE"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, CASE WHEN ? THEN now() END)"
                    + " ON CONFLICT DO NOTHING";

    private static final String CHECKPOINT =
            "INSERT INTO %1$s.checkpoint (source, next_offset, leader_epoch) VALUES (?, ?, ?)"
                    + " ON CONFLICT (source, slot) DO NOTHING";

    private static final String IS_SAME =
            "SELECT count(*) FROM %1$s.source WHERE number = ? AND topic_id = ? AND partition = ?"
                    + " AND generation = ?";

    /** The next number that the identity column would give. */
    private static final String NEXT_NUMBER =
            "SELECT nextval(pg_get_serial_sequence('%1$s.source', 'number'))";

    private final Tables tables;
    private final PostgresSettings settings;

    public PostgresSourceCopies(Tables tables, PostgresSettings settings) {
        this.tables = tables;
        this.settings = settings;
    }

    @Override
    public Map<Integer, SortedSet<Integer>> fed() {
        return tables.call(
                null,
                (statements, life) -> {
                    Map<Integer, SortedSet<Integer>> found = new HashMap<>();
                    statements.query(
                            FED,
                            row ->
                                    found.computeIfAbsent(row.getInt(1), it -> new TreeSet<>())
                                            .add(row.getInt(2)));
                    return found;
                });
    }

    @Override
    public void feeds(int source, int slot) {
        tables.update(FEEDS, source, slot + 1);
    }

    @Override
    public List<Copy> all() {
        return tables.list(ALL, PostgresSourceCopies::copy);
    }

    private static Copy copy(ResultSet row) throws SQLException {
        return new Copy(
                row.getInt(1),
                new TopicPartition(row.getString(2), row.getInt(3)),
                row.getObject(4, UUID.class),
                row.getObject(5, UUID.class),
                row.getInt(6),
                new NextOffset(row.getLong(7), row.getInt(8)),
                row.getInt(9),
                row.getBoolean(10));
    }

    @Override
    public void copy(Copy source, NextOffset checkpoint) {
        tables.transaction(
                null,
                (statements, life) -> {
                    statements.update(
                            COPY,
                            source.number(),
                            source.partition().topic(),
                            source.partition().partition(),
                            source.topicId(),
                            source.firstTopicId(),
                            source.generation(),
                            source.start().offset(),
                            source.start().leaderEpoch(),
                            source.growth(),
                            source.settled());
                    requireSame(statements, source);
                    return statements.update(
                            CHECKPOINT,
                            source.number(),
                            checkpoint.offset(),
                            checkpoint.leaderEpoch());
                });
    }

    @Override
    public void giveNoNumberUpTo(int number) {
        tables.call(
                null,
                (statements, life) -> {
                    long next = 0;
                    while (next < number) {
                        next = statements.one(NEXT_NUMBER, row -> row.getLong(1));
                    }
                    return next;
                });
    }

    private void requireSame(Statements statements, Copy source) throws SQLException {
        long same =
                statements.one(
                        IS_SAME,
                        row -> row.getLong(1),
                        source.number(),
                        source.topicId(),
                        source.partition().partition(),
                        source.generation());
        if (same != 1) {
            throw new RefusedSqlException(
                    "%s.source has another source than %s under the number %d: the slots are not of"
                                    .formatted(
                                            settings.schema(), source.partition(), source.number())
                            + " one application, or were restored from copies of different times");
        }
    }
}
