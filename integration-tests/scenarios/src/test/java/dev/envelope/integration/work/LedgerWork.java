package dev.envelope.integration.work;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.work.WorkInTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Enters each message into a book, and counts those of its key. */
public final class LedgerWork implements WorkInTransaction<String> {

    static final String TABLES =
            "CREATE TABLE ledger (id bigserial PRIMARY KEY, key text, number bigint);"
                    + " CREATE TABLE tally (key text PRIMARY KEY, n bigint NOT NULL)";

    private static final String COUNT =
            "INSERT INTO public.tally AS t (key, n) VALUES (?, 1)"
                    + " ON CONFLICT (key) DO UPDATE SET n = t.n + 1";

    private static final String ENTER = "INSERT INTO public.ledger (key, number) VALUES (?, ?)";

    @Override
    public void run(@Nullable String value, Message message, Connection connection)
            throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(COUNT);
                PreparedStatement enter = connection.prepareStatement(ENTER)) {
            count.setString(1, message.key());
            count.executeUpdate();
            enter.setString(1, message.key());
            enter.setLong(2, Long.parseLong(String.valueOf(value)));
            enter.executeUpdate();
        }
    }
}
