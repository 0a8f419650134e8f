package dev.envelope.integration.bench;

import dev.envelope.integration.stack.Database;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the rows of a workload must be, worked out from its records and from nothing that a
 * contestant has done.
 *
 * <p>Threads: one at a time.
 */
final class Oracle {

    private static final int FETCH = 10_000;

    private final int keys;
    private final long[] balance;
    private final long[] count;
    private final long[] last;
    private final boolean[] seen;

    /**
     * @param nextOffsets only the records of each partition below these count
     */
    Oracle(Workload workload, long[] nextOffsets) {
        keys = workload.keys();
        balance = new long[keys];
        count = new long[keys];
        last = new long[keys];
        seen = new boolean[keys];
        long[] offsets = new long[Workload.PARTITIONS];
        for (int record = 0; record < workload.records(); record++) {
            int key = workload.keyOf(record);
            byte[] bytes = Workload.account(key).getBytes(StandardCharsets.UTF_8);
            int partition = Workload.partitionOf(bytes);
            if (offsets[partition]++ < nextOffsets[partition]) {
                balance[key] += workload.amountOf(record);
                count[key]++;
                last[key] = record;
            }
        }
    }

    /** Every record of it. */
    static Oracle ofAll(Workload workload) {
        long[] all = new long[Workload.PARTITIONS];
        Arrays.fill(all, Long.MAX_VALUE);
        return new Oracle(workload, all);
    }

    /** What is wrong with the rows; empty if nothing is. */
    Optional<String> findFault(Database database, String rows) throws SQLException {
        Arrays.fill(seen, false);
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(FETCH);
                try (ResultSet row = statement.executeQuery(rows)) {
                    while (row.next()) {
                        Optional<String> fault = faultOf(row);
                        if (fault.isPresent()) {
                            return fault;
                        }
                    }
                }
            }
        }
        for (int key = 0; key < keys; key++) {
            if (!seen[key] && count[key] > 0) {
                return Optional.of("no row of " + Workload.account(key));
            }
        }
        return Optional.empty();
    }

    private Optional<String> faultOf(ResultSet row) throws SQLException {
        String account = row.getString(1);
        int key = Workload.keyOfAccount(account, keys);
        if (key < 0 || seen[key]) {
            return Optional.of("a row that should not be: " + account);
        }
        seen[key] = true;
        if (row.getLong(2) != balance[key] || row.getLong(3) != count[key]) {
            return Optional.of(
                    "%s has balance %d of %d bookings, not %d of %d"
                            .formatted(
                                    account,
                                    row.getLong(2),
                                    row.getLong(3),
                                    balance[key],
                                    count[key]));
        }
        long lastBooking = row.getLong(4);
        if (!row.wasNull() && lastBooking != last[key]) {
            return Optional.of(
                    "%s ends with booking %d, not %d".formatted(account, lastBooking, last[key]));
        }
        return Optional.empty();
    }
}
