package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.TimerStoreContract;

class PostgresTimerStoreTest extends TimerStoreContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
