package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.OutputSql;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.WorkerSql;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Takes outputs out of a row into a part of their own, and marks rows that Kafka has refused. */
final class Splitting {

    /**
     * The new part goes behind the one that it is taken from, and before those that were taken out
     * earlier: of each lane these have later outputs. Its number is a little below the next one, so
     * that tens of thousands fit, and at least halfway to it, so that it can be divided, too. All
     * parts of a row are of one relay and position.
     */
    static final String TAKE_OUT =
            "INSERT INTO %1$s.output (relay, position, part, "
                    + OutputSql.ARRAYS
                    + ", bytes, refused, refused_at, tries, created_at) SELECT o.relay, o.position,"
                    + " greatest(o.part + (next.part - o.part) / 2, next.part - 65536), held.*, ?, r.why,"
                    + " r.at,"
                    + " CASE WHEN r.why IS NULL THEN 0 ELSE o.tries + 1 END, o.created_at"
                    + " FROM (SELECT ?::text AS why, ?::timestamptz AS at) AS r CROSS JOIN %1$s.output AS o"
                    + " CROSS JOIN LATERAL (SELECT coalesce(min(p.part), 2147483647) AS part"
                    + " FROM %1$s.output AS p WHERE p.relay = o.relay AND p.position = o.position"
                    + " AND p.part > o.part) AS next"
                    + " CROSS JOIN LATERAL "
                    + ofMask(1)
                    + " AS held WHERE o.relay = ANY (?::int[]) AND o.position = ? AND o.part = ?"
                    + " AND next.part > o.part + 1";

    static final String LEAVE_REST =
            "UPDATE %1$s.output AS o SET ("
                    + OutputSql.ARRAYS
                    + ") = "
                    + ofMask(0)
                    + ", bytes = greatest(0, o.bytes - ?)"
                    + " WHERE o.relay = ANY (?::int[]) AND o.position = ? AND o.part = ?";

    private static final String REFUSE =
            "UPDATE %1$s.output SET refused = ?, refused_at = coalesce(refused_at, ?),"
                    + " tries = tries + 1 WHERE relay = ANY (?::int[]) AND position = ? AND part = ?";

    static final String REFUSE_AGAIN = REFUSE + " AND refused IS NOT NULL";

    private Splitting() {}

    /** The arrays of those elements whose place in the mask has this value. */
    private static String ofMask(int value) {
        return "(SELECT "
                + OutputSql.AGGREGATED
                + " FROM (SELECT u.* FROM unnest(o."
                + OutputSql.ARRAYS.replace(", ", ", o.")
                + ", ?::int[]) WITH ORDINALITY AS u("
                + OutputSql.ELEMENT
                + ", mask, place) WHERE u.mask = "
                + value
                + " ORDER BY u.place) AS m)";
    }

    /**
     * Splits the row, or marks all of it; see the port. If no number is left for a part, all of the
     * row waits with what was refused.
     */
    static void split(
            Statements statements, Own own, Row row, Set<Integer> held, @Nullable String refused)
            throws SQLException {
        Place place = row.place();
        BinaryArray relays = OutputRows.relays(own);
        String why = refused == null ? null : HeadersJson.legible(refused);
        boolean isSplit =
                held.isEmpty()
                        || (held.size() < row.items().size()
                                && isTakenOut(statements, relays, row, held, why));
        if (!isSplit && why != null) {
            statements.update(REFUSE, why, WorkerSql.now(), relays, place.position(), place.part());
        }
    }

    private static boolean isTakenOut(
            Statements statements,
            BinaryArray relays,
            Row row,
            Set<Integer> held,
            @Nullable String why)
            throws SQLException {
        List<Item> items = row.items();
        Place place = row.place();
        List<Integer> all = IntStream.range(0, items.size()).boxed().toList();
        BinaryArray mask = BinaryArray.ofInts(all, i -> held.contains(i) ? 1 : 0);
        int bytes = Math.toIntExact(held.stream().mapToLong(i -> items.get(i).bytes()).sum());
        int parts =
                statements.update(
                        TAKE_OUT,
                        bytes,
                        why,
                        why == null ? null : WorkerSql.now(),
                        mask,
                        relays,
                        place.position(),
                        place.part());
        if (parts == 1) {
            statements.update(LEAVE_REST, mask, bytes, relays, place.position(), place.part());
        }
        return parts == 1;
    }
}
