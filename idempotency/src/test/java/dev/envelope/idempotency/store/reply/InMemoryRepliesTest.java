package dev.envelope.idempotency.store.reply;

import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.time.Clock;

class InMemoryRepliesTest extends ReplyStoreContract {

    @Override
    protected Bench open() {
        InMemoryReplies replies = new InMemoryReplies(Clock.systemUTC());
        return new Bench() {
            @Override
            public ReplyStore replies() {
                return replies;
            }

            @Override
            public void save(CommandId command, Answer answer) {
                replies.save(command, answer);
            }

            @Override
            public void close() {}
        };
    }
}
