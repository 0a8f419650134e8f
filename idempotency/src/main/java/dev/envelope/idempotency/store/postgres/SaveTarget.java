package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.postgres.output.RelayNumber;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import org.jspecify.annotations.Nullable;

/**
 * What saves change.
 *
 * @param relay the relay of what they put out
 * @param table whose rows they do; null if there is none
 */
record SaveTarget(PostgresSettings settings, RelayNumber relay, @Nullable TableSql table) {

    String schema() {
        return settings.quotedSchema();
    }
}
