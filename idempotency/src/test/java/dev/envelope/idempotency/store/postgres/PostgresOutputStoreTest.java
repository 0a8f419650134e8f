package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.OutputStoreContract;
import dev.envelope.idempotency.store.StoreFixture;

class PostgresOutputStoreTest extends OutputStoreContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
