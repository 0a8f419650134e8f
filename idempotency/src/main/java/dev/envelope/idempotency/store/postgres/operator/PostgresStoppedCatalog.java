package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.idempotency.store.operator.StoppedCatalog;
import java.util.ArrayList;
import java.util.List;

/** Stopped partitions, read and resumed on one connection. Threads: one thread. */
public final class PostgresStoppedCatalog implements StoppedCatalog {

    private static final String LIST =
            "SELECT s.topic || '-' || s.partition, t.reason, t.stopped_at FROM %1$s.stopped AS t"
                    + " JOIN %1$s.source AS s ON s.number = t.source"
                    + " ORDER BY s.topic, s.partition";

    /** The request is recorded as done; it shows who has resumed the partition. */
    private static final String RESUME =
            "WITH gone AS (DELETE FROM %1$s.stopped AS t USING %1$s.source AS s"
                    + " WHERE s.number = t.source AND s.topic || '-' || s.partition = ?"
                    + " RETURNING t.reason), asked AS (INSERT INTO %1$s.request"
                    + " (row_key, action, requested_by, done_at, answer)"
                    + " SELECT ?, 'resume partition', ?, now(), 'resumed; it was stopped because ' ||"
                    + " min(reason) FROM gone HAVING count(*) > 0)"
                    + " SELECT count(*) FROM gone";

    private final OperatorConnection connection;

    PostgresStoppedCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    @Override
    public List<StoppedPartition> all() {
        List<StoppedPartition> found = new ArrayList<>();
        connection.query(
                LIST,
                row ->
                        found.add(
                                new StoppedPartition(
                                        row.getString(1),
                                        row.getString(2),
                                        row.getTimestamp(3).toInstant())));
        return found;
    }

    @Override
    public boolean resume(String name, String who) {
        List<Long> resumed = new ArrayList<>();
        connection.query(RESUME, row -> resumed.add(row.getLong(1)), name, name, who);
        return resumed.get(0) > 0;
    }

    @Override
    public void close() {
        connection.close();
    }
}
