package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The logs that outputs come from, by the number of their source. What matters of them here never
 * changes in one incarnation of the database, so each is looked up once.
 *
 * <p>Threads: thread-safe (a volatile record that is replaced; a lost one costs a query).
 */
final class Origins {

    private static final String FIND =
            "SELECT number, coalesce(first_topic_id, topic_id), generation, partition"
                    + " FROM %1$s.source WHERE number = ANY (?::int[])";

    private volatile @Nullable Known known;

    private record Known(Incarnation life, Map<Integer, Log> logs) {}

    /** The log of a source. */
    record Log(Uuid topicId, int generation, int partition) {

        /** What remains to be said of a source that was deleted by hand. */
        static final Log LOST = new Log(Uuid.ZERO_UUID, 0, 0);

        Origin origin(long offset, int leaderEpoch, int ordinal) {
            return new Origin(topicId, generation, partition, offset, leaderEpoch, ordinal);
        }
    }

    /** The logs of at least these sources. */
    Map<Integer, Log> of(Collection<Integer> sources, Statements statements, ServerLife life)
            throws SQLException {
        Known before = known;
        Map<Integer, Log> logs =
                before != null && before.life().equals(life.incarnation())
                        ? before.logs()
                        : Map.of();
        if (logs.keySet().containsAll(sources)) {
            return logs;
        }
        Map<Integer, Log> all = new HashMap<>(logs);
        List<Integer> unknown = sources.stream().filter(it -> !logs.containsKey(it)).toList();
        statements.query(
                FIND,
                row -> {
                    UUID id = row.getObject(2, UUID.class);
                    all.put(
                            row.getInt(1),
                            new Log(
                                    new Uuid(
                                            id.getMostSignificantBits(),
                                            id.getLeastSignificantBits()),
                                    row.getInt(3),
                                    row.getInt(4)));
                },
                BinaryArray.ofInts(unknown, it -> it));
        known = new Known(life.incarnation(), Map.copyOf(all));
        return all;
    }
}
