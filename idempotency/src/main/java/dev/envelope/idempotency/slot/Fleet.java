package dev.envelope.idempotency.slot;

import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.store.slot.SlotSessions.Lock;
import dev.envelope.idempotency.store.slot.SlotSessions.Look;
import java.util.List;

/**
 * Those that divide the work by the same number, as a session has seen them. Who takes a slot has
 * shared before that what all share that count on the number, and has then seen that it is still
 * the recorded one; who records another has locked that for a moment. So nobody takes a slot of the
 * new number while anybody has one of the old.
 */
record Fleet(SlotPlan plan, Look look) {

    /** How many slots there are. */
    int count() {
        return look.count();
    }

    /** Whether this process shares what all share that count on the number. */
    boolean isIn() {
        int shared = Lock.countsOn(count());
        return look.locks().stream().anyMatch(it -> it.isOurs() && it.number() == shared);
    }

    /** Whether others do. */
    boolean isCountedOn() {
        int shared = Lock.countsOn(count());
        return look.locks().stream().anyMatch(it -> !it.isOurs() && it.number() == shared);
    }

    /** Whether there is to be another number, and all that are present know of it. */
    boolean isToMove() {
        return isBeforeMove() && without().isEmpty();
    }

    private boolean isBeforeMove() {
        return plan.isChange() && count() == plan.from();
    }

    /** The names of those who do not know of this process's number. */
    private List<String> without() {
        return look.locks().stream()
                .filter(it -> it.isPresence() && it.wanted() != plan.count())
                .map(Lock::instance)
                .sorted()
                .toList();
    }

    /** How far the change has come, in a sentence; empty if there is none. */
    String change() {
        if (!plan.isChange()) {
            return "";
        } else if (!isBeforeMove()) {
            return "%d slots since %s: slots.from=%d can go"
                    .formatted(count(), look.since(), plan.from());
        }
        List<String> without = without();
        return without.isEmpty()
                ? "from %d to %d slots: all that are there know it, and give up what they have"
                        .formatted(count(), plan.count())
                : "from %d to %d slots when these know it: %s"
                        .formatted(count(), plan.count(), String.join(", ", without));
    }

    /** What is wrong if the recorded number is none of the plan's. */
    String refusal() {
        return "slots is %d, and the application has %d since %s: start with slots=%d, or with slots.from=%d as well"
                .formatted(plan.count(), count(), look.since(), count(), count());
    }
}
