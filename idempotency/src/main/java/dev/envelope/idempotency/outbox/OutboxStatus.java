package dev.envelope.idempotency.outbox;

import dev.envelope.idempotency.store.OutboxStore.Depth;
import java.time.Duration;

/**
 * How the outbox stands, for people and probes.
 *
 * @param rows how many records wait, counted up to the bound
 * @param oldest how long the first of them has waited
 * @param relayed how many this process has delivered
 * @param failures how often it could not
 * @param trouble why it can't at the moment; empty if nothing is known
 * @param isFull whether messages that would put something out have to wait
 */
public record OutboxStatus(
        long rows, Duration oldest, long relayed, long failures, String trouble, boolean isFull) {

    /** Nothing waits. */
    public static final OutboxStatus EMPTY = new OutboxStatus(0, Duration.ZERO, 0, 0, "", false);

    OutboxStatus measured(Depth depth, boolean full) {
        return new OutboxStatus(depth.rows(), depth.oldest(), relayed, failures, trouble, full);
    }

    OutboxStatus delivered(int records) {
        return new OutboxStatus(
                Math.max(0, rows - records), oldest, relayed + records, failures, trouble, isFull);
    }

    OutboxStatus refused(String why) {
        return new OutboxStatus(rows, oldest, relayed, failures + 1, why, isFull);
    }

    OutboxStatus works() {
        return new OutboxStatus(rows, oldest, relayed, failures, "", isFull);
    }

    /** Why the process can't do its part, in one line. */
    public String notReadyBecause() {
        String why = trouble.isEmpty() ? "the instance that delivers them says why" : trouble;
        return "dead letters can't be delivered: "
                + why
                + " ("
                + rows
                + " wait, the first for "
                + oldest.toSeconds()
                + " s)";
    }
}
