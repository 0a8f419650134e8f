package dev.envelope.idempotency.store.postgres.reply;

import dev.envelope.idempotency.store.AnswersContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.util.List;
import org.jspecify.annotations.Nullable;

class PostgresAnswersTest extends AnswersContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }

    @Override
    protected @Nullable String answer(StoreFixture in, String command) {
        CommandId id = new CommandId("k", command);
        Answer answer = ((PostgresFixture) in).replies().find(List.of(id)).get(id);
        return answer == null ? null : answer.result() + " " + answer.offset();
    }
}
