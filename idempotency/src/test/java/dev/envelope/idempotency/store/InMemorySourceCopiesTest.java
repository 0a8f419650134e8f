package dev.envelope.idempotency.store;

class InMemorySourceCopiesTest extends SourceCopiesContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }
}
