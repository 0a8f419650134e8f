package dev.envelope.idempotency.outbox;

import dev.envelope.idempotency.store.OutboxStore.Depth;
import java.time.Duration;

/**
 * The status of the outbox, for people and probes.
 *
 * @param rows how many records wait, counted up to the limit
 * @param oldest how long the first of them has waited
 * @param relayed how many records this process has delivered
 * @param failures how many deliveries have failed
 * @param trouble why delivery fails at the moment; empty if no failure is known
 * @param isFull whether messages that would become dead letters have to wait
 */
public record OutboxStatus(
        long rows, Duration oldest, long relayed, long failures, String trouble, boolean isFull) {

    /** An empty outbox. */
    public static final OutboxStatus EMPTY = new OutboxStatus(0, Duration.ZERO, 0, 0, "", false);

    /** Of several outboxes as one. */
    public OutboxStatus and(OutboxStatus other) {
        return new OutboxStatus(
                rows + other.rows,
                oldest.compareTo(other.oldest) > 0 ? oldest : other.oldest,
                relayed + other.relayed,
                failures + other.failures,
                trouble.isEmpty() ? other.trouble : trouble,
                isFull || other.isFull);
    }

    OutboxStatus measured(Depth depth, boolean full) {
        return new OutboxStatus(depth.rows(), depth.oldest(), relayed, failures, trouble, full);
    }

    OutboxStatus full(boolean full) {
        return new OutboxStatus(rows, oldest, relayed, failures, trouble, full);
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

    /** Why the process is not ready, in one line. */
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
