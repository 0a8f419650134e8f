package dev.envelope.idempotency.store;

class InMemoryCheckpointsTest extends CheckpointsContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
