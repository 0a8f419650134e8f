package dev.envelope.idempotency.store;

class InMemoryRowReadsTest extends RowReadsContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
