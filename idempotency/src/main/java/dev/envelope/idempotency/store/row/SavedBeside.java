package dev.envelope.idempotency.store.row;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.idempotency.store.timer.TimerId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What earlier saves have left beside a row. It is read after the row: if the row has changed
 * since, the next save fails, and both are read again.
 *
 * @param dueTimers by name
 * @param applied those of an envelope's commands whose answer says that they were applied, and
 *     where the message is that was
 * @param waiting the ids of those of the messages that are rows of a table and not done
 */
public record SavedBeside(
        Map<String, DueTimer> dueTimers, Map<String, Reply.At> applied, Set<String> waiting) {

    /**
     * Whether it is needed: there are firings of timers, commands, or rows of a table.
     *
     * @param rowsAreKnown whether rows need not be asked for: those that were parked are done, and
     *     those of a key that was never saved are not
     */
    public static boolean isNeededFor(List<Message> messages, boolean rowsAreKnown) {
        return Firing.isAmong(messages)
                || Reply.isAmong(messages)
                || (!rowsAreKnown && TableRow.isAmong(messages));
    }

    /** Reads it for envelopes of different keys; by key. */
    public static Map<String, SavedBeside> read(
            Collection<Envelope> envelopes, StateStore store, Incarnation life) {
        Set<TimerId> timers = new HashSet<>();
        Set<CommandId> commands = new HashSet<>();
        Set<String> rows = new HashSet<>();
        for (Envelope envelope : envelopes) {
            for (Message message : envelope.messages()) {
                Firing firing = Firing.of(message);
                if (firing != null && firing.name().indexOf(0) < 0) { // no timer has such a name
                    timers.add(new TimerId(envelope.key(), firing.name()));
                }
                @Nullable String command = Reply.command(message);
                if (command != null) {
                    commands.add(new CommandId(envelope.key(), command));
                }
            }
            rows.addAll(TableRow.idsOf(envelope.messages()));
        }
        Map<String, Map<String, DueTimer>> due =
                timers.isEmpty() ? Map.of() : store.dueTimers(timers, life);
        Map<String, Map<String, Reply.At>> applied = new HashMap<>();
        if (!commands.isEmpty()) {
            store.appliedCommands(commands, life)
                    .forEach(
                            (id, at) ->
                                    applied.computeIfAbsent(id.key(), it -> new HashMap<>())
                                            .put(id.command(), at));
        }
        Set<String> waiting = rows.isEmpty() ? Set.of() : store.waiting(rows, life);
        Map<String, SavedBeside> read = new HashMap<>();
        for (Envelope envelope : envelopes) {
            String key = envelope.key();
            read.put(
                    key,
                    new SavedBeside(
                            due.getOrDefault(key, Map.of()),
                            applied.getOrDefault(key, Map.of()),
                            waiting));
        }
        return read;
    }

    /**
     * Whether a timer was cancelled or set again since it fired, has come already, or was never
     * set. One that is due and has not fired counts: it has fired in a life that the database has
     * forgotten, and its firing has the place in the log that all have seen.
     */
    public boolean isOutOfDate(Firing firing) {
        return !firing.isOf(dueTimers.get(firing.name()));
    }

    /**
     * Whether the effect of a command is in the row. An answer without the mark was saved with a
     * row that is not there any more.
     */
    public boolean isApplied(String command, Marks ofRow) {
        Reply.At at = applied.get(command);
        return at != null && ofRow.nextOffset(at.source()) > at.offset();
    }
}
