package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of answers to commands: each command that a save settles has one, it says what
 * became of the command, and the first one stays unless a later one says more. A command that was
 * applied to a row is not applied to it again.
 *
 * <p>Threads: one thread.
 */
final class ReplyChecks {

    /** What became of the command at a place; null if that can't be said. */
    record Settled(SimRecord record, int source, @Nullable Result as) {

        /**
         * A record that a save has passed and not set aside.
         *
         * @param isDue whether it is to be applied
         */
        static Settled of(
                SimRecord record,
                int source,
                boolean isDue,
                Predicate<String> mayMiss,
                Collection<String> has) {
            String repeats = record.repeats();
            boolean isSure =
                    !mayMiss.test(record.place()) && (repeats == null || !mayMiss.test(repeats));
            Result as = isDue ? Result.APPLIED : Result.DUPLICATE;
            return new Settled(record, source, isSure || has.contains(record.place()) ? as : null);
        }
    }

    /** The answer that stays, and the message that it is of. */
    record Answered(Result as, int source, long offset) {

        private int rank() {
            return as == Result.PARKED ? 0 : as == Result.PUT_OUT ? 1 : 2;
        }

        private boolean isApplied() {
            return rank() == 2;
        }

        /**
         * What is applied was not in the row: an answer that says that it was is of a former row.
         */
        private boolean replaces(@Nullable Answered other) {
            return other == null || as == Result.APPLIED || rank() > other.rank();
        }
    }

    private final World world;
    private final Map<CommandId, Answered> answered = new HashMap<>();
    private final Set<CommandId> unsure = new HashSet<>();

    ReplyChecks(World world) {
        this.world = world;
    }

    /** Nothing can be said of these answers: a row in doubt was saved with them. */
    void inDoubt(String rowKey, List<Reply> replies) {
        replies.forEach(it -> unsure.add(id(rowKey, it.command())));
    }

    /**
     * A row was saved with these answers.
     *
     * @param settled by the save, in the order of their logs
     * @param again where records are that it had passed before a cut of their log was accepted
     */
    void saved(String rowKey, List<Settled> settled, Set<String> again, List<Reply> replies) {
        Set<String> places = new HashSet<>();
        Set<String> commands = new HashSet<>();
        for (Settled each : settled) {
            String command = SimRecord.command(each.record());
            if (command != null) {
                places.add(each.record().place());
                commands.add(command);
                settle(id(rowKey, command), each);
            }
        }
        for (Reply reply : replies) {
            String place = Trace.place(reply.origin());
            boolean isSaidAgain = again.contains(place) && reply.result() == Result.DUPLICATE;
            if (!places.contains(place) && !isSaidAgain) {
                fail("reply-untrue", reply + " of " + place + ", which this save does not settle");
            }
        }
        for (String command : commands) {
            check(rowKey, command);
        }
    }

    private void settle(CommandId id, Settled settled) {
        @Nullable Result as = settled.as();
        if (as == null) {
            unsure.add(id);
            return;
        }
        Answered now = new Answered(as, settled.source(), settled.record().offset());
        Answered before = answered.get(id);
        if (now.replaces(before)) {
            answered.put(id, now);
        } else {
            world.faults().landed(Fault.COMMAND_AGAIN);
        }
    }

    /**
     * Whether a record is of a command that was applied before, to a row of which these marks are
     * left.
     *
     * @return null if that can't be said
     */
    @Nullable Boolean isAppliedBefore(
            String rowKey, SimRecord record, Map<Integer, NextOffset> marks) {
        String command = SimRecord.command(record);
        if (command == null) {
            return false;
        }
        CommandId id = id(rowKey, command);
        if (unsure.contains(id)) {
            return null;
        }
        Answered before = answered.get(id);
        if (before == null || !before.isApplied()) {
            return false;
        }
        NextOffset mark = marks.get(before.source());
        return mark != null && mark.offset() > before.offset();
    }

    private void check(String rowKey, String command) {
        CommandId id = id(rowKey, command);
        if (unsure.contains(id)) {
            return;
        }
        Result expected = Objects.requireNonNull(answered.get(id)).as();
        String answer = world.database().answer(rowKey, command);
        if (answer.equals("none")) {
            fail("reply-missing", id + " is " + expected + " and has no answer");
        } else if (!answer.startsWith(expected.text() + " @")) {
            fail("reply-untrue", id + " is " + expected + ", and the answer is " + answer);
        }
    }

    private static CommandId id(String rowKey, String command) {
        return new CommandId(rowKey, command);
    }

    /** What it knows now, to go back to with the database. */
    Map<CommandId, Answered> known() {
        return Map.copyOf(answered);
    }

    /** Those of a place go back. */
    void goBack(int place, Map<CommandId, Answered> known) {
        answered.keySet().removeIf(id -> world.database().isAt(place, id.key()));
        known.forEach(
                (id, answer) -> {
                    if (world.database().isAt(place, id.key())) {
                        answered.put(id, answer);
                    }
                });
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
