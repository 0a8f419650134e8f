package dev.envelope.idempotency.store;

class InMemoryParkedStoreTest extends ParkedStoreContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
