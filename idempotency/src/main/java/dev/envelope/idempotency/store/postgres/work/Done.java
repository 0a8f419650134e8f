package dev.envelope.idempotency.store.postgres.work;

import static java.util.stream.Collectors.toSet;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.work.DoneBefore;
import dev.envelope.idempotency.work.DoneBefore.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Marks messages as done, in a transaction, and tells which of them were before.
 *
 * <p>The mark is inserted first. If a rival has inserted it, this waits for the rival's
 * transaction. Only after that the checkpoint is read, with a newer snapshot: a mark that was done
 * with and is deleted again is below it.
 *
 * <p>Threads: one thread.
 */
final class Done {

    /** One trip to the server; the second statement sees what the first one has waited for. */
    private static final String MARK =
            "INSERT INTO %1$s.done (source, record_offset, leader_epoch)"
                    + " SELECT n.source, n.record_offset, n.leader_epoch"
                    + " FROM unnest(?::int[], ?::bigint[], ?::int[])"
                    + " AS n(source, record_offset, leader_epoch)"
                    + " ORDER BY n.source, n.record_offset"
                    + " ON CONFLICT DO NOTHING RETURNING source, record_offset;"
                    + " SELECT "
                    + ServerLife.START_MICROS
                    + ", pg_catalog.current_setting('transaction_isolation'), c.source,"
                    + " c.next_offset, c.leader_epoch FROM %1$s.checkpoint AS c"
                    + " WHERE c.slot = 0 AND c.source = ANY (?::int[])";

    private static final String FIND =
            "SELECT d.source, d.record_offset, d.leader_epoch FROM %1$s.done AS d"
                    + " JOIN unnest(?::int[], ?::bigint[]) AS n(source, record_offset)"
                    + " ON d.source = n.source AND d.record_offset = n.record_offset";

    private final Connection connection;
    private final String quotedSchema;
    private final List<Message> messages;
    private final Set<Place> inserted = new HashSet<>();
    private final Map<Integer, NextOffset> checkpoints = new HashMap<>();
    private final Map<Place, Integer> found = new HashMap<>(); // leader epochs

    Done(Connection connection, String quotedSchema, List<Message> messages) {
        this.connection = connection;
        this.quotedSchema = quotedSchema;
        this.messages = messages;
    }

    /** The places of messages that were done before. */
    BitSet mark(ServerLife life) throws SQLException {
        insert(life);
        find();
        return new DoneBefore(inserted, found, checkpoints).of(messages);
    }

    private void insert(ServerLife life) throws SQLException {
        Set<Integer> own = messages.stream().map(it -> it.epoch().source()).collect(toSet());
        List<Integer> asked =
                Stream.concat(
                                own.stream(),
                                messages.stream()
                                        .flatMap(it -> it.epoch().formerSources().stream()))
                        .distinct()
                        .toList();
        try (PreparedStatement statement =
                connection.prepareStatement(MARK.formatted(quotedSchema))) {
            statement.setObject(1, BinaryArray.ofInts(messages, it -> it.epoch().source()));
            statement.setObject(2, BinaryArray.ofLongs(messages, Message::offset));
            statement.setObject(3, BinaryArray.ofInts(messages, Message::leaderEpoch));
            statement.setObject(4, BinaryArray.ofInts(asked, it -> it));
            statement.execute();
            try (ResultSet row = statement.getResultSet()) {
                while (row.next()) {
                    inserted.add(new Place(row.getInt(1), row.getLong(2)));
                }
            }
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                while (row.next()) {
                    Database.requireLife(life, row.getLong(1));
                    requireReadCommitted(row.getString(2));
                    checkpoints.put(row.getInt(3), new NextOffset(row.getLong(4), row.getInt(5)));
                }
            }
        }
        if (!checkpoints.keySet().containsAll(own)) {
            throw new RefusedSqlException(
                    "the database no longer knows each of the sources "
                            + own
                            + ": rows of "
                            + quotedSchema
                            + ".source were deleted; restore them or restart");
        }
    }

    private static void requireReadCommitted(String isolation) throws RefusedSqlException {
        if (!isolation.equals("read committed")) {
            throw new RefusedSqlException(
                    "the isolation of transactions is "
                            + isolation
                            + " for this role or database: with dedupe=store it must be read"
                            + " committed (ALTER ROLE or ALTER DATABASE … SET"
                            + " default_transaction_isolation)");
        }
    }

    /** Asked only where there is a mark already, or a log was truncated. */
    private void find() throws SQLException {
        List<Place> asked = List.copyOf(DoneBefore.asked(messages, inserted));
        if (asked.isEmpty()) {
            return;
        }
        try (PreparedStatement statement =
                connection.prepareStatement(FIND.formatted(quotedSchema))) {
            statement.setObject(1, BinaryArray.ofInts(asked, Place::source));
            statement.setObject(2, BinaryArray.ofLongs(asked, Place::offset));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.put(new Place(row.getInt(1), row.getLong(2)), row.getInt(3));
                }
            }
        }
    }
}
