package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.dedupe.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Marks that advance with every message, without an object for each.
 *
 * <p>Threads: one thread.
 */
final class RunningMarks {

    private Marks settled;
    private @Nullable Message last;

    RunningMarks(Marks from) {
        settled = from;
    }

    Verdict judge(Message message) {
        Message before = last;
        boolean isBehind =
                before != null
                        && before.epoch().source() == message.epoch().source()
                        && before.offset() >= message.offset();
        return isBehind ? Verdict.DUPLICATE : settled.judge(message);
    }

    void passed(Message message) {
        Message before = last;
        if (before != null && before.epoch().source() != message.epoch().source()) {
            settled = now();
        }
        last = message;
    }

    Marks now() {
        Message before = last;
        return before == null ? settled : settled.advance(before.epoch().source(), before.next());
    }
}
