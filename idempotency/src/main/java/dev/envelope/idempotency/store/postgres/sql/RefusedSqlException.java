package dev.envelope.idempotency.store.postgres.sql;

import java.sql.SQLException;

/** Our own refusal of a server, as an {@code SQLException} that passes through the pool. */
public final class RefusedSqlException extends SQLException {

    private static final long serialVersionUID = 1L;

    /**
     * @param sentence what is wrong and how to fix it
     */
    public RefusedSqlException(String sentence) {
        super(sentence);
    }
}
