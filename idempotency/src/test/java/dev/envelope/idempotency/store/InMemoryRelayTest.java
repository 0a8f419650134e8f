package dev.envelope.idempotency.store;

class InMemoryRelayTest extends RelayContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
