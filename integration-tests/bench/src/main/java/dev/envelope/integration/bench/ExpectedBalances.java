package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.Balance;
import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the rows of a workload must be, worked out from its records and from nothing that a
 * contestant has done: each row is what the first so many records of its key add up to, in their
 * order, and so many is all of them or, in a run that was cut short, as many as were said to be
 * durable.
 *
 * <p>Threads: immutable.
 */
final class ExpectedBalances {

    private static final int FETCH = 10_000;

    private final Workload workload;

    /** The records of a key lie at {@code starts[key]} and behind, in their order. */
    private final int[] records;

    private final int[] starts;

    ExpectedBalances(Workload workload) {
        this.workload = workload;
        starts = new int[workload.keys() + 1];
        for (int record = 0; record < workload.records(); record++) {
            starts[workload.keyOf(record) + 1]++;
        }
        for (int key = 0; key < workload.keys(); key++) {
            starts[key + 1] += starts[key];
        }
        records = new int[workload.records()];
        int[] next = starts.clone();
        for (int record = 0; record < workload.records(); record++) {
            records[next[workload.keyOf(record)]++] = record;
        }
    }

    /** What is wrong with the rows after a run to the end; empty if nothing is. */
    Optional<String> findFault(Database database, String rows) throws SQLException {
        return findFault(database, rows, workload.records());
    }

    /**
     * What is wrong with the rows after a run that was cut short; empty if nothing is.
     *
     * @param durable how many records were said to be in rows by then
     */
    Optional<String> findFault(Database database, String rows, long durable) throws SQLException {
        Look look = look();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(FETCH);
                try (ResultSet result = statement.executeQuery(rows)) {
                    while (result.next()) {
                        Optional<String> fault = look.at(Row.of(result));
                        if (fault.isPresent()) {
                            return fault;
                        }
                    }
                }
            }
        }
        return look.end(durable);
    }

    /** A walk through rows, from none. */
    Look look() {
        return new Look();
    }

    /**
     * A row as it was found; what is not kept is null.
     *
     * <p>Threads: immutable.
     */
    record Row(String account, long balance, long count, @Nullable Long last, @Nullable Long hash) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getString(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getObject(4, Long.class),
                    row.getObject(5, Long.class));
        }
    }

    /**
     * A walk through the rows.
     *
     * <p>Threads: one at a time.
     */
    final class Look {

        private final boolean[] seen = new boolean[workload.keys()];
        private long counted;

        /** What is wrong with a row; empty if nothing is. */
        Optional<String> at(Row row) {
            int key = Workload.keyOfAccount(row.account, workload.keys());
            if (key < 0 || seen[key]) {
                return Optional.of("a row that should not be: " + row.account);
            }
            seen[key] = true;
            if (row.count < 1 || row.count > starts[key + 1] - starts[key]) {
                return Optional.of("%s has %d bookings".formatted(row.account, row.count));
            }
            counted += row.count;
            return faultOf(row, expected(key, (int) row.count));
        }

        /** What is missing after the last row; empty if nothing is. */
        Optional<String> end(long durable) {
            return counted >= durable
                    ? Optional.empty()
                    : Optional.of("%,d records are in rows, not %,d".formatted(counted, durable));
        }
    }

    private static Optional<String> faultOf(Row row, Expected expected) {
        if (row.balance != expected.balance) {
            return Optional.of(
                    "%s has balance %d after %d bookings, not %d"
                            .formatted(row.account, row.balance, row.count, expected.balance));
        }
        if (row.last != null && row.last != expected.last) {
            return Optional.of(
                    "%s ends with booking %d, not %d"
                            .formatted(row.account, row.last, expected.last));
        }
        if (row.hash != null && row.hash != expected.hash) {
            return Optional.of(row.account + " has other bookings, or in another order");
        }
        return Optional.empty();
    }

    private record Expected(long balance, long last, long hash) {}

    private Expected expected(int key, int count) {
        long balance = 0;
        long hash = 0;
        int record = 0;
        for (int i = starts[key]; i < starts[key] + count; i++) {
            record = records[i];
            balance += workload.amountOf(record);
            hash = Balance.next(hash, record);
        }
        return new Expected(balance, record, hash);
    }
}
