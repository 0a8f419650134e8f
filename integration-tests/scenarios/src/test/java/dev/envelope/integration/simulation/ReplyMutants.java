package dev.envelope.integration.simulation;

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
    static final Wiring REPLIES_LOST =
            OutputMutants.saving(
                    it ->
                            new HandlerEffects(
                                    it.effects().outputs(), it.effects().timers(), List.of()));

    /** Each command was applied, whatever became of it. */
    static final Wiring ALWAYS_APPLIED =
            OutputMutants.saving(
                    it ->
                            new HandlerEffects(
                                    it.effects().outputs(),
                                    it.effects().timers(),
                                    it.effects().replies().stream()
                                            .map(ReplyMutants::applied)
                                            .toList()));

    private static Reply applied(Reply of) {
        return new Reply(of.origin(), of.command(), Result.APPLIED, null, of.value());
    }

    /** The answers of a save that has lost against another one are saved nevertheless. */
    static final Wiring REPLY_WITHOUT_WINNING =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return new Answering(states);
                }
            };

    /** A command that comes again is folded without a look at its answer. */
    static final Wiring ANSWERS_NOT_ASKED =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return new Forgetful(states);
                }
            };

    private record Forgetful(StateStore states) implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            return states.load(keys, incarnation);
        }

        @Override
        public Map<String, Map<String, String>> firedTimers(
                Collection<String> keys, Incarnation incarnation) {
            return states.firedTimers(keys, incarnation);
        }

        @Override
        public Map<CommandId, Reply.At> appliedCommands(
                Collection<CommandId> commands, Incarnation incarnation) {
            return Map.of();
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            return states.save(changes, patience, incarnation);
        }
    }

    private record Answering(StateStore states) implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            return states.load(keys, incarnation);
        }

        @Override
        public Map<String, Map<String, String>> firedTimers(
                Collection<String> keys, Incarnation incarnation) {
            return states.firedTimers(keys, incarnation);
        }

        @Override
        public Map<CommandId, Reply.At> appliedCommands(
                Collection<CommandId> commands, Incarnation incarnation) {
            return states.appliedCommands(commands, incarnation);
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
