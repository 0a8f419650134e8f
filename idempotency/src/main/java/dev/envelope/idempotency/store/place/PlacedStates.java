package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rows at one place, for callers that name the incarnation of all places.
 *
 * <p>Threads: thread-safe (as the place's rows are).
 */
final class PlacedStates implements StateStore {

    private final int place;
    private final StateStore rows;
    private final Lives lives;
    private final SlotMoves moves;

    PlacedStates(int place, StateStore rows, Lives lives, SlotMoves moves) {
        this.place = place;
        this.rows = rows;
        this.lives = lives;
        this.moves = moves;
    }

    private Incarnation ofPlace(Incarnation all) {
        return lives.of(place, all);
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation all) {
        return moves.ask(place, keys, () -> rows.load(keys, ofPlace(all)));
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation all) {
        return moves.ask(
                place,
                timers.stream().map(TimerId::key).toList(),
                () -> rows.dueTimers(timers, ofPlace(all)));
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation all) {
        return moves.ask(
                place,
                commands.stream().map(CommandId::key).toList(),
                () -> rows.appliedCommands(commands, ofPlace(all)));
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation all) {
        return rows.waiting(rowIds, ofPlace(all));
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation all) {
        return moves.ask(
                place,
                changes.stream().map(Change::key).toList(),
                () -> rows.save(changes, patience, ofPlace(all)));
    }
}
