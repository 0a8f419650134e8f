package dev.envelope.idempotency.store.postgres;

import dev.envelope.idempotency.store.RelayContract;
import dev.envelope.idempotency.store.StoreFixture;

class PostgresRelayTest extends RelayContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
