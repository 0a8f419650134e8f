package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.OutboxStoreContract;
import dev.envelope.idempotency.store.StoreFixture;

class PostgresOutboxStoreTest extends OutboxStoreContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
