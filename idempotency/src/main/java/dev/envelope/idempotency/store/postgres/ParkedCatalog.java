package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.ParkedStore.Action;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of parked messages, and where he asks for something to be done. Whoever
 * runs the application carries it out; this only writes it down.
 *
 * <p>Threads: one thread, one connection.
 */
public final class ParkedCatalog implements AutoCloseable {

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private static final String KEYS =
            "SELECT c.row_key, c.messages, p.position, s.topic || '-' || s.partition || '@' ||"
                    + " p.record_offset, p.reason, p.attempts, p.error, p.parked_at"
                    + " FROM (SELECT row_key, min(position) AS first, count(*) AS messages"
                    + " FROM %1$s.parked WHERE row_key IS NOT NULL GROUP BY row_key"
                    + " ORDER BY first LIMIT ?) AS c JOIN %1$s.parked AS p ON p.position = c.first"
                    + " JOIN %1$s.source AS s ON s.number = p.source ORDER BY c.first";

    private static final String WITHOUT_ROW =
            "SELECT reason, count(*) FROM %1$s.parked WHERE row_key IS NULL GROUP BY reason"
                    + " ORDER BY reason";

    private static final String MESSAGES =
            "SELECT p.position, p.row_key, s.topic || '-' || s.partition || '@' ||"
                    + " p.record_offset, p.record_timestamp, p.reason, p.attempts, p.error,"
                    + " p.parked_at, p.key, p.value, p.headers FROM %1$s.parked AS p"
                    + " JOIN %1$s.source AS s ON s.number = p.source WHERE ";

    private static final String OF_KEY =
            MESSAGES
                    + "(?::text IS NULL OR p.row_key = ?) AND p.position > ?"
                    + " ORDER BY p.position LIMIT ?";

    private static final String OF_NO_KEY =
            MESSAGES + "p.row_key IS NULL ORDER BY p.position LIMIT ?";

    private static final String DELETE_OF_NO_KEY =
            "DELETE FROM %1$s.parked WHERE row_key IS NULL AND position = ANY (?::bigint[])"
                    + " RETURNING position";

    private static final String ASK =
            "INSERT INTO %1$s.request (row_key, action, position, requested_by)"
                    + " SELECT k.key, ?, (SELECT min(position) FROM %1$s.parked WHERE row_key = k.key),"
                    + " ? FROM (SELECT ?::text AS key) AS k"
                    + " WHERE EXISTS (SELECT FROM %1$s.parked WHERE row_key = k.key)"
                    + " OR EXISTS (SELECT FROM %1$s.state WHERE key = k.key AND parked > 0)"
                    + " RETURNING number";

    private static final String ANSWER = "SELECT answer FROM %1$s.request WHERE number = ?";

    private static final String SEEN =
            "SELECT count(*) FROM %1$s.instance" + " WHERE seen_at > now() - ? * interval '1 ms'";

    /**
     * A key with parked messages.
     *
     * @param first the first of them, by topic, partition and offset
     * @param error what it failed with
     */
    public record ParkedKey(
            String key,
            long messages,
            long position,
            String first,
            String reason,
            int attempts,
            String error,
            Instant since) {}

    /**
     * A parked message, whole.
     *
     * @param rowKey null for one that can't have a row
     */
    public record Entry(
            long position,
            @Nullable String rowKey,
            String place,
            long timestampMillis,
            String reason,
            int attempts,
            String error,
            Instant since,
            byte @Nullable [] key,
            byte @Nullable [] value,
            List<Header> headers) {}

    private final PostgresSettings settings;
    private final Connection connection;

    private ParkedCatalog(PostgresSettings settings, Connection connection) {
        this.settings = settings;
        this.connection = connection;
    }

    /**
     * Connects.
     *
     * @throws UnavailableException if the database can't be used
     */
    public static ParkedCatalog open(PostgresSettings settings) {
        try {
            return new ParkedCatalog(
                    settings, new Connector(settings, LOCK_TIMEOUT).getConnection());
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    /** The keys that have parked messages, longest parked first. */
    public List<ParkedKey> keys(int most) {
        List<ParkedKey> keys = new ArrayList<>();
        query(
                KEYS,
                row ->
                        keys.add(
                                new ParkedKey(
                                        row.getString(1),
                                        row.getLong(2),
                                        row.getLong(3),
                                        row.getString(4),
                                        row.getString(5),
                                        row.getInt(6),
                                        row.getString(7),
                                        row.getTimestamp(8).toInstant())),
                most);
        return keys;
    }

    /** How many messages that can't have a row are parked, by reason. */
    public Map<String, Long> withoutRow() {
        Map<String, Long> reasons = new LinkedHashMap<>();
        query(WITHOUT_ROW, row -> reasons.put(row.getString(1), row.getLong(2)));
        return reasons;
    }

    /**
     * Messages in the order in which they were parked.
     *
     * @param key of these, or null for all
     * @param after only those behind this position
     */
    public List<Entry> messages(@Nullable String key, long after, int most) {
        List<Entry> messages = new ArrayList<>();
        query(OF_KEY, row -> messages.add(entry(row)), key, key, after, most);
        return messages;
    }

    /** Messages that can't have a row, in the order in which they were parked. */
    public List<Entry> messagesWithoutRow(int most) {
        List<Entry> messages = new ArrayList<>();
        query(OF_NO_KEY, row -> messages.add(entry(row)), most);
        return messages;
    }

    /**
     * Deletes messages that can't have a row. No key waits for them, so nobody has to be asked.
     *
     * @return the positions of those that were there
     */
    public List<Long> deleteWithoutRow(List<Long> positions) {
        List<Long> deleted = new ArrayList<>();
        query(
                DELETE_OF_NO_KEY,
                row -> deleted.add(row.getLong(1)),
                BinaryArray.ofLongs(positions, position -> position));
        return deleted;
    }

    /** All of them, however many there are. */
    public void export(@Nullable String key, Consumer<Entry> to) {
        int most = 100;
        List<Entry> some = messages(key, 0, most);
        while (!some.isEmpty()) {
            some.forEach(to);
            some = messages(key, some.get(some.size() - 1).position(), most);
        }
    }

    private static Entry entry(ResultSet row) throws SQLException {
        List<Header> headers = List.of(HeadersJson.read(row.getBytes(11)).toArray());
        return new Entry(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                row.getString(5),
                row.getInt(6),
                row.getString(7),
                row.getTimestamp(8).toInstant(),
                row.getBytes(9),
                row.getBytes(10),
                headers);
    }

    /**
     * Asks for something to be done with the parked messages of a key; to skip means the one that
     * is the first now.
     *
     * @return the number of the request; empty if nothing of the key is parked
     */
    public Optional<Long> ask(String key, Action action, String by) {
        List<Long> numbers = new ArrayList<>();
        query(
                ASK,
                row -> numbers.add(row.getLong(1)),
                action.name().toLowerCase(Locale.ROOT),
                by,
                key);
        return numbers.stream().findFirst();
    }

    /** What was answered to a request, if it was. */
    public Optional<String> answerTo(long number) {
        List<String> answers = new ArrayList<>();
        query(ANSWER, row -> Optional.ofNullable(row.getString(1)).ifPresent(answers::add), number);
        return answers.stream().findFirst();
    }

    /** Whether an instance that carries out requests was seen within that time. */
    public boolean isAnybodyThere(Duration within) {
        List<Long> counts = new ArrayList<>();
        query(SEEN, row -> counts.add(row.getLong(1)), within.toMillis());
        return counts.get(0) > 0;
    }

    private interface EachRow {
        void take(ResultSet row) throws SQLException;
    }

    private void query(String sql, EachRow each, @Nullable Object... parameters) {
        try (PreparedStatement statement =
                connection.prepareStatement(sql.formatted(settings.quotedSchema()))) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    each.take(row);
                }
            }
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It ends with the process.
        }
    }
}
