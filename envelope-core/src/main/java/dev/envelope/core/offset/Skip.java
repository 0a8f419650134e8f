package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Words;

/**
 * Offsets that are left out for good, by a policy that a person has set.
 *
 * @param first the first that is left out
 * @param next the first that is not
 */
public record Skip(Cause cause, long first, long next) {

    /** Why. */
    public enum Cause {
        /** They were gone from the log before they were applied: {@code on.gap=earliest}. */
        GAP,
        /** Somebody has moved the group's commit: {@code on.offset.ahead=follow}. */
        OPERATOR
    }

    public Skip {
        if (first >= next) {
            throw new InvariantViolation("nothing is left out from " + first + " to " + next);
        }
    }

    /** At most so many, since not every offset has a record. */
    public long records() {
        return next - first;
    }

    @Override
    public String toString() {
        return "offsets %d to %d (at most %s), %s"
                .formatted(
                        first,
                        next - 1,
                        Words.count(records(), "record"),
                        cause == Cause.GAP ? "gone from the log" : "skipped by an operator");
    }
}
