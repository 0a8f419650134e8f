package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.idempotency.store.output.OutputStore.Before;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Refused;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.postgres.output.Origins.Log;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows of the table {@code output}.
 *
 * <p>Threads: thread-safe (immutable, but for the logs that it knows).
 */
final class OutputRows {

    /** The most rows at a time: of these at least the lanes are read. */
    private static final int MOST_ROWS = 500;

    /** The most rows of another relay that are read at a time. */
    static final int MOST_BEFORE = 1_000;

    private static final long MOST_REFUSED_BYTES = 16L << 20;

    /** The first row, and those after it that fit. Only those that fit are read as a whole. */
    static final String NEXT =
            "SELECT g.start, "
                    + ReadRow.COLUMNS
                    + " FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN ((SELECT relay, position, part,"
                    + " row_number() OVER w AS place, sum(outputs) OVER w AS outputs_up_to_it,"
                    + " sum(bytes) OVER w AS bytes_up_to_it FROM (SELECT f.*"
                    + " FROM unnest(?::int[]) AS m(relay) CROSS JOIN LATERAL (SELECT o.relay,"
                    + " o.position, o.part, cardinality(o.lanes) AS outputs, o.bytes"
                    + " FROM %1$s.output AS o WHERE o.relay = m.relay AND o.refused IS NULL"
                    + " AND (o.position, o.part) NOT IN"
                    + " (SELECT * FROM unnest(?::bigint[], ?::int[]))"
                    + " ORDER BY o.position, o.part LIMIT "
                    + MOST_ROWS
                    + ") AS f ORDER BY f.position, f.part LIMIT "
                    + MOST_ROWS
                    + ") AS f WINDOW w AS (ORDER BY position, part)) AS c JOIN %1$s.output AS o"
                    + " ON o.relay = c.relay AND o.position = c.position AND o.part = c.part)"
                    + " ON c.place = 1 OR (c.outputs_up_to_it <= ? AND c.bytes_up_to_it <= ?)"
                    + " ORDER BY o.position, o.part";

    /** The relay is null for rows that Kafka has refused. */
    static final String BEFORE =
            "SELECT g.start, b.relay, b.position, b.part, CASE WHEN b.relay IS NOT NULL"
                    + " AND (b.position, b.part) IN"
                    + " (SELECT * FROM unnest(?::bigint[], ?::int[])) THEN NULL ELSE b.lanes END"
                    + " FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN (SELECT o.* FROM %1$s.relay AS r"
                    + " CROSS JOIN LATERAL (SELECT o.relay, o.position, o.part, o.lanes"
                    + " FROM %1$s.output AS o WHERE o.relay = r.number AND o.position < ?"
                    + " AND o.refused IS NULL ORDER BY o.position, o.part LIMIT "
                    + MOST_BEFORE
                    + ") AS o WHERE r.number <> ALL (?::int[])"
                    + " UNION ALL SELECT NULL, f.* FROM %1$s.refused_of_lanes(?::int[], ?) AS f"
                    + ") AS b ON true";

    /** The same on a worker of Citus, where no function reads a table. */
    private static final String BEFORE_ON_WORKER =
            BEFORE.replace(
                    "%1$s.refused_of_lanes(?::int[], ?) AS f",
                    "(SELECT o.position, o.part, o.lanes FROM %1$s.output AS o WHERE"
                            + " o.refused IS NOT NULL AND o.lanes && ?::int[] AND o.position < ?) AS f");

    static final String REFUSED =
            "SELECT "
                    + ServerLife.START_MICROS
                    + ", "
                    + ReadRow.COLUMNS
                    + ", o.refused, o.refused_at, o.tries FROM (SELECT *, sum(bytes) OVER"
                    + " (ORDER BY position, part) AS bytes_up_to_it FROM (SELECT * FROM %1$s.output"
                    + " WHERE refused IS NOT NULL AND relay = ANY (?::int[])"
                    + " AND (position, part) > (?, ?)"
                    + " ORDER BY position, part LIMIT ?) AS f) AS o WHERE bytes_up_to_it <= "
                    + MOST_REFUSED_BYTES
                    + " OR bytes_up_to_it = bytes ORDER BY position, part";

    private final Origins origins = new Origins();

    List<Row> next(
            Statements statements,
            ServerLife life,
            Own own,
            Collection<Place> without,
            int mostOutputs,
            long maxBytes)
            throws SQLException {
        List<ReadRow> found = new ArrayList<>();
        Places left = Places.of(without);
        statements.query(
                NEXT,
                row -> {
                    Database.requireLife(life, row.getLong(1));
                    if (row.getObject(2) != null) {
                        found.add(new ReadRow(row, 2));
                    }
                },
                relays(own),
                left.positions(),
                left.parts(),
                (long) mostOutputs,
                maxBytes);
        Map<Integer, Log> logs = logs(found, statements, life);
        return found.stream().map(each -> each.of(logs)).toList();
    }

    Before before(
            Statements statements,
            ServerLife life,
            Own own,
            long position,
            Collection<Place> known,
            Collection<Integer> asked)
            throws SQLException {
        Map<Place, int @Nullable []> lanes = new TreeMap<>();
        Set<Place> refused = new HashSet<>();
        Map<Integer, Integer> ofRelay = new HashMap<>();
        long[] upTo = {position};
        Places seen = Places.of(known);
        statements.query(
                life.isOnWorker() ? BEFORE_ON_WORKER : BEFORE,
                row -> {
                    Database.requireLife(life, row.getLong(1));
                    if (row.getObject(3) == null) {
                        return;
                    }
                    Place place = new Place(row.getLong(3), row.getInt(4));
                    lanes.put(place, lanes(row, 5));
                    if (row.getObject(2) == null) {
                        refused.add(place);
                    } else if (ofRelay.merge(row.getInt(2), 1, Integer::sum) == MOST_BEFORE) {
                        upTo[0] = Math.min(upTo[0], row.getLong(3));
                    }
                },
                seen.positions(),
                seen.parts(),
                position,
                relays(own),
                BinaryArray.ofInts(List.copyOf(asked), it -> it),
                position);
        return new Before(lanes, refused, upTo[0]);
    }

    List<Refused> refused(Statements statements, ServerLife life, Own own, Place after, int most)
            throws SQLException {
        List<Unsent> found =
                statements.list(
                        REFUSED,
                        row -> {
                            Database.requireLife(life, row.getLong(1));
                            return new Unsent(
                                    new ReadRow(row, 2),
                                    row.getString(15),
                                    row.getObject(16, OffsetDateTime.class).toInstant(),
                                    row.getInt(17));
                        },
                        relays(own),
                        after.position(),
                        after.part(),
                        most);
        Map<Integer, Log> logs = logs(found.stream().map(Unsent::row).toList(), statements, life);
        return found.stream()
                .map(it -> new Refused(it.row.of(logs), it.why, it.since, it.tries))
                .toList();
    }

    /** A refused row, as it was read. */
    private record Unsent(ReadRow row, String why, Instant since, int tries) {}

    private Map<Integer, Log> logs(List<ReadRow> of, Statements statements, ServerLife life)
            throws SQLException {
        Set<Integer> sources = new HashSet<>();
        of.forEach(each -> sources.addAll(each.sources()));
        return origins.of(sources, statements, life);
    }

    private static int @Nullable [] lanes(ResultSet row, int column) throws SQLException {
        return row.getObject(column) == null
                ? null
                : Arrays.stream((Integer[]) row.getArray(column).getArray())
                        .mapToInt(Integer::intValue)
                        .toArray();
    }

    /** The number of the relay and of those that it serves. */
    static BinaryArray relays(Own own) {
        List<Integer> numbers = new ArrayList<>(own.served());
        numbers.add(own.number());
        return BinaryArray.ofInts(numbers, it -> it);
    }

    /** Places as the two arrays that statements take. */
    record Places(BinaryArray positions, BinaryArray parts) {

        static Places of(Collection<Place> places) {
            List<Place> all = List.copyOf(places);
            return new Places(
                    BinaryArray.ofLongs(all, Place::position),
                    BinaryArray.ofInts(all, Place::part));
        }
    }
}
