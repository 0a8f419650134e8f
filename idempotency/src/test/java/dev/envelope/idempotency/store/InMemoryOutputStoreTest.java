package dev.envelope.idempotency.store;

class InMemoryOutputStoreTest extends OutputStoreContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
