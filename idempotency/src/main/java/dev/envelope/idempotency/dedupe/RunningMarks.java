package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Message;
import org.jspecify.annotations.Nullable;

/**
 * Marks that advance with every message, without an object for each.
 *
 * <p>Threads: one thread.
 */
public final class RunningMarks {

    private Marks settled;
    private @Nullable Message last;

    public RunningMarks(Marks from) {
        settled = from;
    }

    public Verdict judge(Message message) {
        Message before = last;
        boolean isBehind =
                before != null
                        && before.epoch().source() == message.epoch().source()
                        && before.offset() >= message.offset();
        return isBehind ? Verdict.DUPLICATE : settled.judge(message);
    }

    public void passed(Message message) {
        Message before = last;
        if (before != null && before.epoch().source() != message.epoch().source()) {
            settled = now();
        }
        last = message;
    }

    public Marks now() {
        Message before = last;
        return before == null ? settled : settled.advance(before.epoch().source(), before.next());
    }
}
