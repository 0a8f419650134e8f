package dev.envelope.integration.simulation;

import static dev.envelope.integration.simulation.ForwardingStates.saving;
import static dev.envelope.integration.simulation.ForwardingStates.wiring;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Wirings that each break one promise about answers to commands. */
final class ReplyMutants {

    private ReplyMutants() {}

    /** A save loses the answers. */
    static final Wiring REPLIES_LOST = saving(it -> with(it, List.of()));

    /** Each command was applied, whatever became of it. */
    static final Wiring ALWAYS_APPLIED =
            saving(
                    it ->
                            with(
                                    it,
                                    it.effects().replies().stream()
                                            .map(ReplyMutants::applied)
                                            .toList()));

    private static Change.Beside with(Change of, List<Reply> replies) {
        HandlerEffects effects = of.effects();
        return new Change.Beside(
                of.parked(),
                of.deadLetters(),
                new HandlerEffects(effects.outputs(), effects.timers(), replies));
    }

    private static Reply applied(Reply of) {
        return new Reply(of.origin(), of.command(), Result.APPLIED, null, of.value());
    }

    /** The answers of a save that has lost against another one are saved nevertheless. */
    static final Wiring REPLY_WITHOUT_WINNING = wiring(Answering::new);

    /** A command that comes again is folded without a look at its answer. */
    static final Wiring ANSWERS_NOT_ASKED =
            wiring(
                    it ->
                            new ForwardingStates(it) {
                                @Override
                                public Map<CommandId, Reply.At> appliedCommands(
                                        Collection<CommandId> commands, Incarnation incarnation) {
                                    return Map.of();
                                }
                            });

    private static final class Answering extends ForwardingStates {

        Answering(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            boolean[] saved = states.save(changes, patience, incarnation);
            for (int i = 0; i < saved.length; i++) {
                Change change = changes.get(i);
                if (!saved[i] && !change.effects().replies().isEmpty()) {
                    answer(change, patience, incarnation);
                }
            }
            return saved;
        }

        private void answer(Change of, Patience patience, Incarnation incarnation) {
            Snapshot row = states.load(List.of(of.key()), incarnation).get(of.key());
            if (row != null && !row.isAbsent()) {
                HandlerEffects replies =
                        new HandlerEffects(List.of(), List.of(), of.effects().replies());
                Change only =
                        new Change(
                                of.key(),
                                row.version(),
                                row.state(),
                                row.marks(),
                                row.ids(),
                                row.parked(),
                                new Change.Beside(List.of(), List.of(), replies));
                states.save(List.of(only), patience, incarnation);
            }
        }
    }
}
