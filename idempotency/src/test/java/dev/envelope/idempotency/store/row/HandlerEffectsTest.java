package dev.envelope.idempotency.store.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.reply.Reply;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandlerEffectsTest {

    private static HandlerEffects answers(int count) {
        List<Reply> replies =
                IntStream.range(0, count)
                        .mapToObj(
                                i ->
                                        new Reply(
                                                Messages.parked(1, i, "k").message(),
                                                "command " + i,
                                                Reply.Result.APPLIED,
                                                null,
                                                null))
                        .toList();
        return new HandlerEffects(List.of(), List.of(), replies);
    }

    private static long bytes(int answers, byte[] state) {
        Change.Beside beside = new Change.Beside(List.of(), List.of(), answers(answers));
        return new Change("k", 0, state, Marks.NONE, null, 0, beside).bytes();
    }

    @Test
    void theStateIsCopiedForEachAnswerWhileThatIsNotMuchAndThenForNone() {
        byte[] state = new byte[1 << 18];

        assertThat(answers(4).stateAsAnswer(state)).isSameAs(state);
        assertThat(answers(5).stateAsAnswer(state)).isNull();
        assertThat(answers(5).stateAsAnswer(null)).isNull();
    }

    @Test
    void theCopiesCountInTheStatement() {
        byte[] state = new byte[1 << 18];

        assertThat(bytes(4, state)).isBetween(5L << 18, (5L << 18) + 2_000);
        assertThat(bytes(5, state)).isBetween(1L << 18, (1L << 18) + 2_000);
    }
}
