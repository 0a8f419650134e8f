package dev.envelope.idempotency.store;

class InMemoryTimerStoreTest extends TimerStoreContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
