package dev.envelope.idempotency;

import dev.envelope.core.api.Telemetry;
import dev.envelope.core.turn.Disposition;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.timer.SavedEffects;

/**
 * Counts what saved changes have done: for metrics, for the room in the outbox, and for the limits
 * on what is set aside. Outputs are neither failures nor dead letters.
 */
record SavedBooks(
        Telemetry telemetry, OutboxRoom room, SavedEffects effects, SetAsideLimits limits) {

    void saved(Work<?> work, Change change) {
        for (ParkedMessage parked : change.parked()) {
            telemetry.parked(parked.reason(), 1);
        }
        for (OutboxRecord deadLetter : change.deadLetters()) {
            telemetry.deadLettered(deadLetter.reason(), 1);
        }
        room.added(change.deadLetters().size());
        if (!change.outputs().isEmpty()) {
            telemetry.emitted(change.outputs().size());
        }
        effects.saved(work.key(), change.effects());
        telemetry.duplicates(work.done().count(Disposition.DUPLICATE));
        int applied = work.done().count(Disposition.APPLIED);
        telemetry.saved(change.isWithoutRow() ? 0 : 1, applied);
        limits.saved(work, change, applied);
    }
}
