package dev.envelope.idempotency.store;

class InMemoryOutboxStoreTest extends OutboxStoreContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
