package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.postgres.output.Origins.Log;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.OutputSql;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code output} as it was read: arrays, and sources by number.
 *
 * <p>Threads: immutable.
 */
final class ReadRow {

    /** What to select of a table {@code o}. */
    static final String COLUMNS =
            ("o.position, o.part, o.bytes, o.created_at, o."
                            + OutputSql.ARRAYS.replace(", ", ", o."))
                    .replace("o.headers", "o.headers::text[]");

    private final Place place;
    private final long bytes;
    private final Instant createdAt;
    private final Integer[] lanes;
    private final String[] topics;
    private final byte[] @Nullable [] keys;
    private final byte[] @Nullable [] values;
    private final @Nullable String @Nullable [] headers;
    private final Integer[] sources;
    private final Long[] offsets;
    private final Integer[] epochs;
    private final Integer[] ordinals;

    /**
     * @param first the number of the first of the {@link #COLUMNS} in the result
     */
    ReadRow(ResultSet row, int first) throws SQLException {
        this.place = new Place(row.getLong(first), row.getInt(first + 1));
        this.bytes = row.getInt(first + 2);
        this.createdAt = row.getObject(first + 3, OffsetDateTime.class).toInstant();
        this.lanes = (Integer[]) row.getArray(first + 4).getArray();
        this.topics = (String[]) row.getArray(first + 5).getArray();
        this.keys = (byte[][]) row.getArray(first + 6).getArray();
        this.values = (byte[][]) row.getArray(first + 7).getArray();
        this.headers = texts(row, first + 8);
        this.sources = (Integer[]) row.getArray(first + 9).getArray();
        this.offsets = (Long[]) row.getArray(first + 10).getArray();
        this.epochs = (Integer[]) row.getArray(first + 11).getArray();
        this.ordinals = (Integer[]) row.getArray(first + 12).getArray();
    }

    private static @Nullable String @Nullable [] texts(ResultSet row, int column)
            throws SQLException {
        return row.getObject(column) == null
                ? null
                : (@Nullable String[]) row.getArray(column).getArray();
    }

    Collection<Integer> sources() {
        return Arrays.asList(sources);
    }

    Row of(Map<Integer, Log> logs) {
        List<Item> items = new ArrayList<>(lanes.length);
        for (int i = 0; i < lanes.length; i++) {
            Log log = logs.getOrDefault(sources[i], Log.LOST);
            items.add(
                    new Item(
                            lanes[i],
                            log.origin(offsets[i], epochs[i], ordinals[i]),
                            topics[i],
                            keys[i],
                            values[i],
                            headers(i)));
        }
        return new Row(place, items, bytes, createdAt);
    }

    private Headers headers(int i) {
        String json = headers == null ? null : headers[i];
        return json == null
                ? new RecordHeaders()
                : HeadersJson.read(json.getBytes(StandardCharsets.UTF_8));
    }
}
