package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.SourceCopiesContract;
import dev.envelope.idempotency.store.StoreFixture;

class PostgresSourceCopiesTest extends SourceCopiesContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
