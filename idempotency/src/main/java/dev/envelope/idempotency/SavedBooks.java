package dev.envelope.idempotency;

import dev.envelope.core.api.Telemetry;
import dev.envelope.core.turn.Disposition;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.timer.Timer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Counts what saved changes have done: for metrics, for the room in the outbox, and for the limits
 * on what is set aside. Outputs are neither failures nor dead letters.
 */
record SavedBooks(
        Telemetry telemetry,
        OutboxRoom room,
        OutputRoom outputs,
        SetAsideLimits limits,
        Consumer<List<Timer>> timers) {

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
            outputs.saved(change.outputs());
        }
        if (!change.effects().timers().isEmpty()) {
            timers.accept(change.effects().timers());
        }
        telemetry.duplicates(work.done().count(Disposition.DUPLICATE));
        int applied = work.done().count(Disposition.APPLIED);
        telemetry.saved(change.isWithoutRow() ? 0 : 1, applied);
        limits.saved(work, change, applied);
    }
}
