package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.StateStoreContract;
import dev.envelope.idempotency.store.StoreFixture;

class PostgresStateStoreTest extends StateStoreContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
