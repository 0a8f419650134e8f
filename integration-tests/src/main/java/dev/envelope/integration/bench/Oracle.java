package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.Ledger;
import dev.envelope.integration.stack.Database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * What the rows of a workload must be, worked out from its records and from nothing that a
 * contestant has done: each row is what the first so many records of its key add up to, in their
 * order, and so many is all of them or, in a run that was cut short, as many as were said to be
 * durable.
 *
 * <p>Threads: immutable.
 */
final class Oracle {

    private static final int FETCH = 10_000;

    private final Workload workload;

    /** The records of a key lie at {@code starts[key]} and behind, in their order. */
    private final int[] records;

    private final int[] starts;

    Oracle(Workload workload) {
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
        Look look = new Look(workload.keys());
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(FETCH);
                try (ResultSet row = statement.executeQuery(rows)) {
                    while (row.next()) {
                        Optional<String> fault = look.faultOf(row);
                        if (fault.isPresent()) {
                            return fault;
                        }
                    }
                }
            }
        }
        return look.counted >= durable
                ? Optional.empty()
                : Optional.of("%,d records are in rows, not %,d".formatted(look.counted, durable));
    }

    /**
     * A walk through the rows.
     *
     * <p>Threads: one at a time.
     */
    private final class Look {

        private final boolean[] seen;
        private long counted;

        Look(int keys) {
            seen = new boolean[keys];
        }

        Optional<String> faultOf(ResultSet row) throws SQLException {
            String account = row.getString(1);
            int key = Workload.keyOfAccount(account, workload.keys());
            if (key < 0 || seen[key]) {
                return Optional.of("a row that should not be: " + account);
            }
            seen[key] = true;
            long count = row.getLong(3);
            if (count < 1 || count > starts[key + 1] - starts[key]) {
                return Optional.of("%s has %d bookings".formatted(account, count));
            }
            counted += count;
            Expected expected = expected(key, (int) count);
            if (row.getLong(2) != expected.balance) {
                return Optional.of(
                        "%s has balance %d after %d bookings, not %d"
                                .formatted(account, row.getLong(2), count, expected.balance));
            }
            return differs(row, 4, expected.last)
                    ? Optional.of("%s does not end with its last booking".formatted(account))
                    : differs(row, 5, expected.hash)
                            ? Optional.of("%s has its bookings in another order".formatted(account))
                            : Optional.empty();
        }

        /** A column that is not kept is null. */
        private boolean differs(ResultSet row, int column, long expected) throws SQLException {
            long found = row.getLong(column);
            return !row.wasNull() && found != expected;
        }
    }

    private record Expected(long balance, long last, long hash) {}

    private Expected expected(int key, int count) {
        long balance = 0;
        long hash = 0;
        int record = 0;
        for (int i = starts[key]; i < starts[key] + count; i++) {
            record = records[i];
            balance += workload.amountOf(record);
            hash = Ledger.next(hash, record);
        }
        return new Expected(balance, record, hash);
    }
}
