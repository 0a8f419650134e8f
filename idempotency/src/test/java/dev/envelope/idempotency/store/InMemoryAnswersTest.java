package dev.envelope.idempotency.store;

import org.jspecify.annotations.Nullable;

class InMemoryAnswersTest extends AnswersContract {

    @Override
    protected StoreFixture open() {
        return new InMemoryFixture();
    }

    @Override
    protected @Nullable String answer(StoreFixture in, String command) {
        InMemoryEffects.Saved saved = ((InMemoryFixture) in).database().reply("k", command);
        return saved == null
                ? null
                : saved.reply().result() + " " + saved.reply().origin().offset();
    }
}
