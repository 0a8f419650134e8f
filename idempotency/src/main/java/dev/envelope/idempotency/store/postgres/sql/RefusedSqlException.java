package dev.envelope.idempotency.store.postgres.sql;

import java.sql.SQLException;

/** Our own refusal of a server, on its way through the pool. */
public final class RefusedSqlException extends SQLException {

    private static final long serialVersionUID = 1L;

    /**
     * @param sentence what is wrong and what mends it
     */
    public RefusedSqlException(String sentence) {
        super(sentence);
    }
}
