package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.idempotency.store.operator.OutputCatalog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Outputs that wait, on one connection. Threads: one thread. */
public final class PostgresOutputCatalog implements OutputCatalog {

    private static final String TOPICS =
            "SELECT e.topic, count(*), count(*) FILTER (WHERE e.refused), min(e.created_at)"
                    + " FROM (SELECT unnest(o.topics) AS topic, o.refused IS NOT NULL AS refused,"
                    + " o.created_at FROM (SELECT topics, refused, created_at FROM %1$s.output"
                    + " ORDER BY relay, position, part LIMIT ?) AS o) AS e"
                    + " GROUP BY e.topic ORDER BY e.topic";

    /** A relay says each second that it is alive. */
    private static final String TENDED =
            "SELECT EXISTS (SELECT FROM %1$s.relay WHERE served_by IS NULL AND number > 0"
                    + " AND seen_at > now() - interval '15 s')";

    private static final String REFUSED =
            "SELECT position, topic, key, from_topic || '-' || from_partition || '@' || from_offset,"
                    + " refused, refused_at, tries FROM %1$s.outputs WHERE refused IS NOT NULL"
                    + " AND position > ? ORDER BY position, part, place LIMIT ?";

    /**
     * What was refused and is in no open batch. Relays open batches by changing their rows, so
     * while these are locked, none is opened.
     */
    private static final String FREE =
            "WITH relays AS (SELECT positions FROM %1$s.relay WHERE served_by IS NULL"
                    + " ORDER BY number FOR UPDATE), wanted AS (SELECT o.relay, o.position, o.part,"
                    + " cardinality(o.topics) AS outputs, EXISTS (SELECT FROM relays AS r"
                    + " WHERE o.position = ANY (r.positions)) AS is_under_way FROM %1$s.output AS o"
                    + " WHERE o.refused IS NOT NULL AND o.position = coalesce(?, o.position)), ";

    private static final String DONE =
            " AND NOT w.is_under_way RETURNING o.position, o.topics, o.refused_at, w.outputs),"
                    + " noted AS (INSERT INTO %1$s.request"
                    + " (row_key, action, requested_by, done_at, answer)"
                    + " SELECT topics[1], ?, ?, now(), format('outputs: %%s, position: %%s, refused"
                    + " since %%s', outputs, position, refused_at) FROM done)"
                    + " SELECT (SELECT coalesce(sum(outputs), 0) FROM done), (SELECT"
                    + " coalesce(sum(outputs), 0) FROM wanted WHERE is_under_way)";

    private static final String RETRY =
            FREE
                    + "done AS (UPDATE %1$s.output AS o SET refused = NULL FROM wanted AS w"
                    + " WHERE o.relay = w.relay AND o.position = w.position AND o.part = w.part"
                    + DONE;

    private static final String DROP =
            FREE
                    + "done AS (DELETE FROM %1$s.output AS o USING wanted AS w"
                    + " WHERE o.relay = w.relay AND o.position = w.position AND o.part = w.part"
                    + DONE;

    private final OperatorConnection connection;

    PostgresOutputCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    @Override
    public Waiting waiting(int mostSaves) {
        List<Topic> topics = new ArrayList<>();
        connection.query(
                TOPICS,
                row ->
                        topics.add(
                                new Topic(
                                        row.getString(1),
                                        row.getLong(2),
                                        row.getLong(3),
                                        row.getTimestamp(4).toInstant())),
                mostSaves);
        List<Boolean> isTended = new ArrayList<>();
        connection.query(TENDED, row -> isTended.add(row.getBoolean(1)));
        return new Waiting(topics, isTended.get(0));
    }

    @Override
    public List<Refused> refused(long after, int most) {
        List<Refused> found = new ArrayList<>();
        connection.query(
                REFUSED,
                row ->
                        found.add(
                                new Refused(
                                        row.getLong(1),
                                        row.getString(2),
                                        text(row.getBytes(3)),
                                        row.getString(4),
                                        row.getString(5),
                                        row.getTimestamp(6).toInstant(),
                                        row.getInt(7))),
                after,
                most);
        return found;
    }

    private static @Nullable String text(byte @Nullable [] key) {
        return key == null ? null : new String(key, StandardCharsets.UTF_8);
    }

    @Override
    public Done retry(@Nullable Long position, String who) {
        return decide(RETRY, position, "retry output", who);
    }

    @Override
    public Done drop(long position, String who) {
        return decide(DROP, position, "drop output", who);
    }

    private Done decide(String sql, @Nullable Long position, String action, String who) {
        List<Done> done = new ArrayList<>();
        connection.query(
                sql,
                row -> done.add(new Done(row.getLong(1), row.getLong(2))),
                position,
                action,
                who);
        return done.get(0);
    }

    @Override
    public void close() {
        connection.close();
    }
}
