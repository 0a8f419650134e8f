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
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes the parked messages of a key out again: folded, left out, or dropped. Each step is a save:
 * of so many messages, bytes and seconds at most, and of one message at least.
 *
 * @param <S> the state of a key
 */
final class Redrive<S> {

    private static final int MOST_FOLDED = 500;
    private static final int MOST_DROPPED = 10_000; // no message is read for that
    private static final Duration LONGEST_STEP = Duration.ofSeconds(5);

    /** How often a step is saved anew at once, where only what parks behind has come before it. */
    private static final int MOST_TRIES = 20;

    private final EnvelopeFold<S, ?> fold;
    private final StateStore states;
    private final ParkedStore parked;
    private final LongSupplier nanoTime;

    Redrive(EnvelopeFold<S, ?> fold, StateStore states, ParkedStore parked, LongSupplier nanoTime) {
        this.fold = fold;
        this.states = states;
        this.parked = parked;
        this.nanoTime = nanoTime;
    }

    /** One step with the parked messages of a key. */
    void step(Progress progress, Snapshot row) {
        if (!progress.hasCounted() && countsTooFew(progress, row)) {
            return;
        }
        List<Long> first = parked.positions(row.key(), Long.MAX_VALUE, 1);
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

    /** A row that was deleted by hand and made anew by what came since counts only that. */
    private boolean countsTooFew(Progress progress, Snapshot row) {
        if (row.isAbsent()) {
            return false; // it is made of what is parked
        }
        int uncounted = parked.uncounted(row.key());
        if (uncounted > 0) {
            parked.save(row.counting(row.parked() + uncounted), List.of(), progress.life());
            return true; // look again
        }
        progress.counted();
        return false;
    }

    /** Somebody has deleted messages by hand: the row counts some that are not there. */
    private void free(Progress progress, Snapshot row) {
        if (parked.save(row.unparked(row.parked()), List.of(), progress.life())) {
            progress.freed();
        }
    }

    private void skip(Progress progress, Snapshot row, long present) {
        Long position = progress.request().position();
        if (position == null || present < position) {
            progress.end("the message is not the key's first any more: look again");
        } else if (present > position) {
            progress.foundItSkipped();
        } else if (leaveOut(progress, row, List.of(position))) {
            progress.skipped();
        }
    }

    /** What has come since that was asked for stays, and keeps the key parked. */
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

    /** Drops those up to a position; ends where there are none. */
    void dropUpTo(long last, Progress progress, Snapshot row) {
        if (!progress.hasCounted() && countsTooFew(progress, row)) {
            return;
        }
        List<Long> positions = parked.positions(row.key(), last, MOST_DROPPED);
        if (positions.isEmpty()) {
            progress.end(progress.said());
        } else if (leaveOut(progress, row, positions)) {
            progress.done(positions.size());
        }
    }

    private void redrive(Progress progress, Snapshot row) {
        List<Parked> first = parked.first(row.key(), MOST_FOLDED);
        if (first.isEmpty()) {
            return; // somebody else has taken them: look again
        }
        Work<S> work =
                Work.ofParked(Envelope.of(row.key(), first.stream().map(Parked::message).toList()));
        work.startFromLoaded(row);
        long until = nanoTime.getAsLong() + LONGEST_STEP.toNanos();
        fold.fold(work, () -> nanoTime.getAsLong() - until >= 0, progress.guard());
        Change change = work.change();
        List<Parked> folded = first.subList(0, work.done().size());
        if (change != null && !takeOut(progress, row, change, folded)) {
            return; // the row, or what is parked of it, says something else: look again
        }
        progress.done(folded.size());
        Outcome outcome = work.outcome();
        if (outcome instanceof Outcome.Failed failed) {
            failedAgain(progress, row, first.get(folded.size()), failed.cause());
        } else if (outcome instanceof Outcome.Waiting waiting) {
            Throwable cause = Objects.requireNonNull(waiting.cause());
            throw new HeldUpException(
                    "a message can't be folded now: " + Words.describe(cause), cause);
        }
    }

    private void failedAgain(Progress progress, Snapshot row, Parked again, Throwable cause) {
        if (progress.request().action() == Action.SKIP_FAILING) {
            if (takeOut(progress, row, null, List.of(again))) {
                progress.skippedFailing(again.message());
            } // else somebody has given it another value: look again
            return;
        }
        String error = Words.describe(cause);
        parked.failedAgain(again.position(), SetAside.reason(cause), error);
        progress.end(
                "%s; then %s failed again: %s".formatted(progress.said(), again.message(), error));
    }

    /** Deletes messages whatever their values are. */
    private boolean leaveOut(Progress progress, Snapshot row, List<Long> positions) {
        return takeOut(progress, row, null, positions, List.of());
    }

    private boolean takeOut(
            Progress progress, Snapshot row, @Nullable Change change, List<Parked> tried) {
        List<Long> positions = tried.stream().map(Parked::position).toList();
        return takeOut(progress, row, change, positions, tried);
    }

    /**
     * Saves one step. What comes of a parked key moves its row on all the time, by what is parked
     * behind: that changes its version, its marks and its count, and nothing of what was folded. So
     * what was folded is saved upon the row as it is by then, until that wins.
     *
     * @param change what was folded, or null if messages are only left out
     * @param tried those whose values the handler has seen: a value that was replaced since is
     *     neither counted as applied nor deleted untried
     */
    private boolean takeOut(
            Progress progress,
            Snapshot row,
            @Nullable Change change,
            List<Long> positions,
            List<Parked> tried) {
        Snapshot from = row;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            if (parked.save(next(from, change, positions.size()), positions, progress.life())) {
                return true;
            }
            from =
                    states.load(List.of(row.key()), progress.life())
                            .getOrDefault(row.key(), Snapshot.absent(row.key()));
            if (from.isAbsent()
                    || row.isAbsent()
                    || (change != null && !saysTheSame(row, from))
                    || !areUnchanged(row.key(), tried)) {
                return false;
            }
        }
        return false;
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

    /** Whether nothing has happened to a row but that more was parked behind. */
    private static boolean saysTheSame(Snapshot before, Snapshot now) {
        return now.parked() >= before.parked()
                && Arrays.equals(before.state(), now.state())
                && Arrays.equals(before.ids(), now.ids());
    }

    /**
     * Whoever replaces a value moves the row on: read after the row, this and its version agree.
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
