package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Words;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.ParkedStore.Parked;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.SavedBeside;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.timer.SavedEffects;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes the parked messages of a key out of {@code parked}: folded, skipped or dropped. Each step
 * is one save, limited in messages, bytes and seconds, of at least one message.
 *
 * @param <S> the state of a key
 */
final class Redrive<S> {

    private static final int MOST_DROPPED = 10_000; // without reading the messages
    private static final Duration LONGEST_STEP = Duration.ofSeconds(5);

    /**
     * How often a step is saved again at once, if only newly parked messages have changed the row.
     */
    private static final int MOST_TRIES = 20;

    private final EnvelopeFold<S, ?> fold;
    private final StateStore states;
    private final ParkedStore parked;
    private final SavedEffects told;
    private final Predicate<Progress> renews;
    private final LongSupplier nanoTime;

    /**
     * @param renews whether this process still has the request, and may go on with it
     */
    Redrive(
            EnvelopeFold<S, ?> fold,
            StateStore states,
            ParkedStore parked,
            SavedEffects told,
            Predicate<Progress> renews,
            LongSupplier nanoTime) {
        this.told = told;
        this.renews = renews;
        this.fold = fold;
        this.states = states;
        this.parked = parked;
        this.nanoTime = nanoTime;
    }

    /** Does one step with the parked messages of a key. */
    void step(Progress progress, Snapshot row) {
        if (!progress.hasCounted() && countsTooFew(progress, row)) {
            return;
        }
        List<Long> first = parked.positions(row.key(), Long.MAX_VALUE, 1);
        progress.sees(first.isEmpty() ? null : first.get(0));
        if (first.isEmpty() && !progress.hasSkipped()) {
            progress.end("nothing is parked");
        } else if (first.isEmpty() && row.parked() > 0) {
            free(progress, row);
        } else if (first.isEmpty()) {
            progress.end(progress.hasDoneSomething() ? progress.said() : "nothing is parked");
        } else if (!progress.hasSkipped()) {
            skip(progress, row, first.get(0));
        } else if (progress.request().action() == Action.DROP) {
            drop(progress, row, first.get(0));
        } else {
            redrive(progress, row);
        }
    }

    /**
     * Corrects the count of a row that was deleted by hand and created again by later messages: it
     * counts only those.
     */
    private boolean countsTooFew(Progress progress, Snapshot row) {
        if (row.isAbsent()) {
            return false; // it was made from the parked messages
        }
        int uncounted = parked.uncounted(row.key());
        if (uncounted > 0) {
            Snapshot counted = row.counting(row.parked() + uncounted);
            parked.save(progress.request(), counted, List.of(), progress.life());
            return true; // look again
        }
        progress.counted();
        return false;
    }

    /** Frees a key whose row counts messages that were deleted by hand. */
    private void free(Progress progress, Snapshot row) {
        Snapshot freed = row.unparked(row.parked());
        if (parked.save(progress.request(), freed, List.of(), progress.life())) {
            progress.freed();
        }
    }

    private void skip(Progress progress, Snapshot row, long present) {
        Long position = progress.request().position();
        if (position == null || present < position) {
            progress.end("the message is not the key's first any more: look again");
        } else if (present > position) {
            progress.foundItSkipped();
        } else if (leaveOut(progress, row, List.of(position)) != null) {
            progress.skipped();
        }
    }

    /**
     * Drops the messages that the request covers. Later ones stay parked, and so the key stays
     * frozen.
     */
    private void drop(Progress progress, Snapshot row, long present) {
        Long last = progress.request().position();
        if (last == null || present <= last) {
            dropUpTo(last == null ? Long.MAX_VALUE : last, progress, row);
        } else {
            progress.end(
                    "%s; %d that came later are still parked"
                            .formatted(progress.said(), parked.rowOfParked(row.key()).parked()));
        }
    }

    /** Drops messages up to a position; ends the request if there are none. */
    void dropUpTo(long last, Progress progress, Snapshot row) {
        if (!progress.hasCounted() && countsTooFew(progress, row)) {
            return;
        }
        List<Long> positions = parked.positions(row.key(), last, MOST_DROPPED);
        if (positions.isEmpty()) {
            progress.end(progress.said());
        } else if (leaveOut(progress, row, positions) != null) {
            progress.done(positions.size());
        }
    }

    private void redrive(Progress progress, Snapshot row) {
        List<Parked> first = parked.first(row.key(), progress.stepSize().messages());
        if (first.isEmpty()) {
            return; // another process has taken them: look again
        }
        if (fold.emits() && !told.outputs().isOpen()) {
            throw new HeldUpException("too many outputs wait for Kafka");
        }
        Work<S> work =
                Work.ofParked(Envelope.of(row.key(), first.stream().map(Parked::message).toList()));
        work.startFromLoaded(row);
        if (work.needsBeside()) {
            work.have(SavedBeside.read(List.of(work.envelope()), states, progress.life()));
        }
        long until = nanoTime.getAsLong() + LONGEST_STEP.toNanos();
        fold.fold(work, fold.quota(() -> nanoTime.getAsLong() - until >= 0), progress.guard());
        Change change = work.change();
        List<Parked> folded = first.subList(0, work.done().size());
        Snapshot saved = row;
        if (change != null) {
            try {
                saved = takeOut(progress, row, change, folded);
            } catch (StoreException.RowFault e) {
                refused(progress, row, folded, e);
                return;
            }
            if (saved == null) {
                return; // the row or its parked messages have changed: look again
            }
            progress.stepSize().grow();
        }
        progress.done(folded.size());
        Outcome outcome = work.outcome();
        if (outcome instanceof Outcome.Failed failed) {
            failedAgain(progress, saved, first.get(folded.size()), failed.cause());
        } else if (outcome instanceof Outcome.Waiting waiting) {
            Throwable cause = Objects.requireNonNull(waiting.cause());
            throw new HeldUpException(
                    "a message can't be folded now: " + Words.describe(cause), cause);
        }
    }

    /**
     * The database can't store what these messages come to. Fewer of them are tried next, until the
     * one at fault is alone.
     */
    private void refused(
            Progress progress, Snapshot row, List<Parked> folded, StoreException.RowFault fault) {
        if (!progress.stepSize().halve(folded.size())) {
            failedAgain(progress, row, folded.get(0), fault);
        }
    }

    /**
     * A message failed, on the state of that row. It is deleted only if neither it nor the state
     * has changed since.
     */
    private void failedAgain(Progress progress, Snapshot row, Parked again, Throwable cause) {
        if (progress.request().action() == Action.SKIP_FAILING) {
            progress.skipsFailing(again);
            progress.skippedFailing(takeOut(progress, row, null, List.of(again)) != null);
            return;
        }
        String error = Words.describe(cause);
        parked.failedAgain(progress.request(), again.position(), SetAside.reason(cause), error);
        progress.end(
                "%s; then %s failed again: %s".formatted(progress.said(), again.message(), error));
    }

    /** Deletes messages without regard to their values. */
    private @Nullable Snapshot leaveOut(Progress progress, Snapshot row, List<Long> positions) {
        return takeOut(progress, row, null, positions, List.of());
    }

    private @Nullable Snapshot takeOut(
            Progress progress, Snapshot row, @Nullable Change change, List<Parked> tried) {
        List<Long> positions = tried.stream().map(Parked::position).toList();
        return takeOut(progress, row, change, positions, tried);
    }

    /**
     * Saves one step. New messages of a frozen key are parked all the time, which changes the row's
     * version, marks and count, but not what was folded. So the folded state is saved onto the
     * current row, again until a save wins.
     *
     * @param change what was folded, or null if messages are only deleted
     * @param tried the messages that the handler was called with: if a value or the state was
     *     replaced since, its message is neither counted as applied nor deleted untried
     * @return the row as it was saved; null if it was not, since something else has changed
     */
    private @Nullable Snapshot takeOut(
            Progress progress,
            Snapshot row,
            @Nullable Change change,
            List<Long> positions,
            List<Parked> tried) {
        Snapshot from = row;
        HandlerEffects effects = change == null ? HandlerEffects.NONE : change.effects();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Snapshot next = next(from, change, positions.size());
            if (parked.save(progress.request(), next, positions, effects, progress.life())) {
                told.saved(row.key(), effects);
                return next;
            }
            from =
                    states.load(List.of(row.key()), progress.life())
                            .getOrDefault(row.key(), Snapshot.absent(row.key()));
            if (from.isAbsent()
                    || row.isAbsent()
                    || !renews.test(progress) // the change may be a deletion
                    || (!tried.isEmpty() && !saysTheSame(row, from))
                    || !areUnchanged(row.key(), tried)) {
                return null;
            }
        }
        return null;
    }

    private static Snapshot next(Snapshot from, @Nullable Change change, int messages) {
        Snapshot next = from.unparked(messages);
        return change == null
                ? next
                : new Snapshot(
                        next.key(),
                        next.version(),
                        change.state(),
                        next.marks(),
                        change.ids(),
                        next.parked());
    }

    /** Whether only newly parked messages have changed a row. */
    private static boolean saysTheSame(Snapshot before, Snapshot now) {
        return now.parked() >= before.parked()
                && Arrays.equals(before.state(), now.state())
                && Arrays.equals(before.ids(), now.ids());
    }

    /**
     * Whether the messages still have the values that were tried. Replacing a value changes the
     * row's version; since this is read after the row, it fits that version.
     */
    private boolean areUnchanged(String key, List<Parked> tried) {
        if (tried.isEmpty()) {
            return true;
        }
        List<Parked> now = parked.first(key, tried.size());
        return now.size() == tried.size()
                && IntStream.range(0, now.size())
                        .allMatch(i -> isTheSame(tried.get(i), now.get(i)));
    }

    private static boolean isTheSame(Parked before, Parked now) {
        return before.position() == now.position()
                && Arrays.equals(before.message().value(), now.message().value());
    }
}
