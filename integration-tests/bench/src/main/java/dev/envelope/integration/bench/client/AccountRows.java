package dev.envelope.integration.bench.client;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * Accounts as columns: a picture of them that goes to the database while they change on.
 *
 * <p>Threads: immutable; the arrays are its own.
 */
public record AccountRows(
        String[] keys, long[] balances, long[] counts, long[] lasts, long[] hashes) {

    private static final byte[] COPY_HEADER = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
    };
    private static final int ROW_BYTES = 80;

    /** In the order in which they are given, which has to be that of the keys. */
    static AccountRows of(List<Account> accounts) {
        AccountRows rows = ofSize(accounts.size());
        for (int i = 0; i < rows.size(); i++) {
            Account account = accounts.get(i);
            rows.set(i, account.key, account.balance, account.count, account.last, account.hash);
        }
        return rows;
    }

    /** To be filled. */
    public static AccountRows ofSize(int size) {
        return new AccountRows(
                new String[size], new long[size], new long[size], new long[size], new long[size]);
    }

    /** Fills a row. */
    public void set(int row, String key, long balance, long count, long last, long hash) {
        keys[row] = key;
        balances[row] = balance;
        counts[row] = count;
        lasts[row] = last;
        hashes[row] = hash;
    }

    int size() {
        return keys.length;
    }

    /** Runs a statement with an array for each column. */
    public void execute(Connection connection, PreparedStatement statement) throws SQLException {
        if (size() > 0) {
            statement.setArray(1, connection.createArrayOf("text", keys));
            statement.setObject(2, balances);
            statement.setObject(3, counts);
            statement.setObject(4, lasts);
            statement.setObject(5, hashes);
            statement.executeUpdate();
        }
    }

    /** Copies them into the table, binary. */
    public void copy(Connection connection, String sql) throws SQLException {
        if (size() > 0) {
            byte[] bytes = binary();
            var copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
            copy.writeToCopy(bytes, 0, bytes.length);
            copy.endCopy();
        }
    }

    private byte[] binary() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(32 + ROW_BYTES * size());
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(COPY_HEADER);
            for (int i = 0; i < size(); i++) {
                out.writeShort(5);
                byte[] key = keys[i].getBytes(StandardCharsets.UTF_8);
                out.writeInt(key.length);
                out.write(key);
                write(out, balances[i]);
                write(out, counts[i]);
                write(out, lasts[i]);
                write(out, hashes[i]);
            }
            out.writeShort(-1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, long number) throws IOException {
        out.writeInt(Long.BYTES);
        out.writeLong(number);
    }
}
