package dev.envelope.integration.simulation;

import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import java.util.ArrayList;
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
 * became of the command, and the first one stays but for that of a parked command.
 *
 * <p>Threads: one thread.
 */
final class ReplyChecks {

    /** What became of the command at a place; null if that can't be said. */
    record Settled(SimRecord record, @Nullable Result as) {

        /**
         * A record that a save has passed and not set aside.
         *
         * @param isDue whether it is to be applied
         */
        static Settled of(
                SimRecord record,
                boolean isDue,
                Predicate<String> mayMiss,
                Collection<String> has) {
            String repeats = record.repeats();
            boolean isSure =
                    !mayMiss.test(record.place()) && (repeats == null || !mayMiss.test(repeats));
            Result as = isDue ? Result.APPLIED : Result.DUPLICATE;
            return new Settled(record, isSure || has.contains(record.place()) ? as : null);
        }
    }

    private final World world;
    private Map<String, Result> first = new HashMap<>(); // by row key and command
    private final Set<String> unsure = new HashSet<>();

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
     */
    void saved(String rowKey, List<Settled> settled, List<Reply> replies) {
        Set<String> places = new HashSet<>();
        Set<String> commands = new HashSet<>();
        for (Settled each : settled) {
            String command = SimRecord.command(each.record());
            if (command != null) {
                places.add(each.record().place());
                commands.add(command);
                settle(id(rowKey, command), each.as());
            }
        }
        for (Reply reply : replies) {
            String place = Trace.place(reply.origin());
            if (!places.contains(place)) {
                fail("reply-untrue", reply + " of " + place + ", which this save does not settle");
            }
        }
        for (String command : commands) {
            check(rowKey, command);
        }
    }

    private void settle(String id, @Nullable Result as) {
        if (as == null) {
            unsure.add(id);
        } else if (first.merge(id, as, ReplyChecks::stays) != as) {
            world.faults().landed(Fault.COMMAND_AGAIN);
        }
    }

    private static Result stays(Result before, Result now) {
        return before == Result.PARKED ? now : before;
    }

    private void check(String rowKey, String command) {
        String id = id(rowKey, command);
        if (unsure.contains(id)) {
            return;
        }
        Result expected = Objects.requireNonNull(first.get(id));
        String answer = world.database().answer(rowKey, command);
        if (answer.equals("none")) {
            fail("reply-missing", id + " is " + expected + " and has no answer");
        } else if (!answer.startsWith(expected.text() + " @")) {
            fail("reply-untrue", id + " is " + expected + ", and the answer is " + answer);
        }
    }

    private static String id(String rowKey, String command) {
        return rowKey + ' ' + command;
    }

    /** What it knows now, to go back to with the database. */
    Map<String, Result> known() {
        return Map.copyOf(first);
    }

    void goBack(Map<String, Result> known) {
        first = new HashMap<>(known);
    }

    /** What was taken out of the parked messages, and whether it is to be applied. */
    static List<Settled> redriven(
            List<SimRecord> taken,
            Collection<SimRecord> due,
            Predicate<String> isLetGo,
            Collection<String> has) {
        List<Settled> settled = new ArrayList<>();
        taken.forEach(it -> settled.add(Settled.of(it, due.contains(it), isLetGo, has)));
        return settled;
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
