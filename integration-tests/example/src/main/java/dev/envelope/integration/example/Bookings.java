package dev.envelope.integration.example;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.work.NoRetryException;
import dev.envelope.idempotency.work.WorkInTransaction;
import dev.envelope.integration.example.Balances.Payment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

// region bookings
/** Books each payment into a table of its own, once, with {@code mode=work, dedupe=store}. */
public final class Bookings implements WorkInTransaction<Payment> {

    private static final String BOOK = "INSERT INTO public.booking (account, cents) VALUES (?, ?)";

    @Override
    public void run(@Nullable Payment payment, Message message, Connection connection)
            throws SQLException {
        if (payment == null) {
            throw new NoRetryException("a booking needs a payment"); // on.failure decides at once
        }
        try (PreparedStatement book = connection.prepareStatement(BOOK)) {
            book.setString(1, message.key());
            book.setLong(2, payment.cents());
            book.executeUpdate();
        } // committed with the message's mark when this returns, rolled back when it throws
    }
}
// end region
