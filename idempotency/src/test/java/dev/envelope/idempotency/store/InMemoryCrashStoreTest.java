package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;

class InMemoryCrashStoreTest extends CrashStoreContract {

    @Override
    protected CrashStore open() {
        return new InMemoryCrashStore();
    }

    @Override
    protected Message message(long offset) {
        return Messages.parked(1, offset, "key").message();
    }
}
