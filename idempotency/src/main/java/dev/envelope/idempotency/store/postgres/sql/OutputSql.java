package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.table.TableRow;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SQL for the table {@code output}: parts of statements that insert what one save puts out, and
 * their values. All outputs of a statement become one row of arrays, which costs a tenth of a row
 * for each.
 *
 * <p>The position is taken after the rows of {@code state} are written: so it is higher than those
 * of earlier saves of the same keys.
 */
public final class OutputSql {

    /** The arrays of a row. */
    public static final String ARRAYS =
            "lanes, topics, keys, vals, headers, sources, offsets, epochs, ordinals";

    /** The columns of an element of the arrays, in the same order. */
    public static final String ELEMENT =
            "lane, topic, key, val, headers, source, record_offset, epoch, ordinal";

    /** The arrays made of elements {@code m}, in the same order. */
    public static final String AGGREGATED =
            "array_agg(m.lane), array_agg(m.topic), array_agg(m.key), array_agg(m.val),"
                    + " CASE WHEN count(m.headers) > 0 THEN array_agg(m.headers) END,"
                    + " array_agg(m.source), array_agg(m.record_offset), array_agg(m.epoch),"
                    + " array_agg(m.ordinal)";

    private static final String COLUMNS = "relay, " + ARRAYS + ", bytes";

    private static final String GIVEN_ARRAYS =
            "?::int[] AS lanes, ?::text[] AS topics, ?::bytea[] AS keys, ?::bytea[] AS vals,"
                    + " ?::json[] AS headers, ?::int[] AS sources, ?::bigint[] AS offsets,"
                    + " ?::int[] AS epochs, ?::int[] AS ordinals";

    private static final String INSERT = "put AS (INSERT INTO %1$s.output (" + COLUMNS + ")";

    /**
     * For a statement with a CTE {@code won} of the keys that were saved. Nearly always these are
     * all: then the arrays are stored as they came. Otherwise they are made anew of the winners'
     * outputs.
     *
     * <p>The subqueries in {@code unnest} and the comparison of the owner with NULL, which it never
     * is, are for the planner: without them it joins each output with each row, since our
     * connections have no hash joins.
     */
    public static final String OF_WINNERS =
            "given AS (SELECT ?::int AS relay, "
                    + GIVEN_ARRAYS
                    + ", ?::int AS bytes, ?::text[] AS owners, ?::int[] AS sizes,"
                    + " ?::bigint AS saves), "
                    + INSERT
                    + " SELECT "
                    + COLUMNS
                    + " FROM given WHERE (SELECT count(*) FROM won) = saves UNION ALL SELECT"
                    + " (SELECT relay FROM given), "
                    + AGGREGATED
                    + ", sum(m.size)::int FROM (SELECT u.* FROM unnest("
                    + givens("owners, " + ARRAYS + ", sizes")
                    + ") WITH ORDINALITY AS u(owner, "
                    + ELEMENT
                    + ", size, place)"
                    + " WHERE (SELECT count(*) FROM won) < (SELECT saves FROM given)"
                    + " AND (u.owner IS NULL OR u.owner IN (SELECT key FROM won))"
                    + " ORDER BY u.place OFFSET 0) AS m HAVING count(*) > 0)";

    /**
     * An output, and the key of the change that it belongs to.
     *
     * @param owner the key
     */
    public record Owned(String owner, Output output) {}

    private OutputSql() {}

    private static String givens(String columns) {
        return "(SELECT " + columns.replace(", ", " FROM given), (SELECT ") + " FROM given)";
    }

    /**
     * Inserts all outputs, or none.
     *
     * @param condition whether the rows that they belong to were saved
     */
    public static String ofAllIf(String condition) {
        return INSERT
                + " SELECT o.* FROM (SELECT ?::int AS relay, "
                + GIVEN_ARRAYS
                + ", ?::int AS bytes) AS o WHERE "
                + condition
                + ")";
    }

    /** The values of {@link #ofAllIf}, as far as they are of outputs. */
    public static List<@Nullable Object> values(int relay, List<Owned> outputs)
            throws SQLException {
        return new Columns(outputs).values(relay);
    }

    /**
     * The values of {@link #OF_WINNERS}.
     *
     * @param saves how many rows the statement saves if all win
     */
    public static List<@Nullable Object> valuesOfWinners(int relay, List<Owned> outputs, long saves)
            throws SQLException {
        Columns columns = new Columns(outputs);
        List<@Nullable Object> values = columns.values(relay);
        values.add(columns.owners.built());
        values.add(columns.sizes.built());
        values.add(saves);
        return values;
    }

    /** The arrays, made in one pass. */
    private static final class Columns {

        private final BinaryArray.Builder lanes;
        private final BinaryArray.Builder topics;
        private final BinaryArray.Builder keys;
        private final BinaryArray.Builder vals;
        private final BinaryArray.Builder headers;
        private final BinaryArray.Builder sources;
        private final BinaryArray.Builder offsets;
        private final BinaryArray.Builder epochs;
        private final BinaryArray.Builder ordinals;
        private final BinaryArray.Builder owners;
        private final BinaryArray.Builder sizes;
        private boolean haveHeaders;
        private long bytes;

        Columns(List<Owned> outputs) throws SQLException {
            int count = outputs.size();
            lanes = BinaryArray.ints(count);
            topics = BinaryArray.texts(count);
            keys = BinaryArray.bytes(count);
            vals = BinaryArray.bytes(count);
            headers = BinaryArray.json(count);
            sources = BinaryArray.ints(count);
            offsets = BinaryArray.longs(count);
            epochs = BinaryArray.ints(count);
            ordinals = BinaryArray.ints(count);
            owners = BinaryArray.texts(count);
            sizes = BinaryArray.ints(count);
            for (Owned each : outputs) {
                add(each.owner, each.output);
            }
        }

        private void add(String owner, Output output) throws SQLException {
            lanes.add(Output.lane(owner, output.topic()));
            topics.add(output.topic());
            keys.add(output.key());
            vals.add(output.value());
            byte @Nullable [] json = headers(output);
            headers.add(json);
            haveHeaders |= json != null;
            sources.add(output.origin().epoch().source());
            offsets.add(TableRow.placeOf(output.origin()));
            epochs.add(output.origin().leaderEpoch());
            ordinals.add(output.ordinal());
            owners.add(owner);
            sizes.add(Math.toIntExact(output.bytes()));
            bytes += output.bytes();
        }

        List<@Nullable Object> values(int relay) {
            return new ArrayList<>(
                    Arrays.asList(
                            relay,
                            lanes.built(),
                            topics.built(),
                            keys.built(),
                            vals.built(),
                            haveHeaders ? headers.built() : null,
                            sources.built(),
                            offsets.built(),
                            epochs.built(),
                            ordinals.built(),
                            Math.toIntExact(bytes)));
        }
    }

    private static byte @Nullable [] headers(Output output) {
        return output.headers().iterator().hasNext() ? HeadersJson.write(output.headers()) : null;
    }
}
