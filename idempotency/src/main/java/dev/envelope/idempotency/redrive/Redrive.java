package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.Change;
import dev.envelope.idempotency.store.ParkedStore;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.ParkedStore.Parked;
import dev.envelope.idempotency.store.Snapshot;
import java.util.List;

/**
 * Takes the parked messages of a key out again: folded, left out, or dropped.
 *
 * <p>Threads: one thread, the desk's.
 *
 * @param <S> the state of a key
 */
final class Redrive<S> {

    private static final int AT_ONCE = 500;

    private final EnvelopeFold<S, ?> fold;
    private final ParkedStore parked;

    Redrive(EnvelopeFold<S, ?> fold, ParkedStore parked) {
        this.fold = fold;
        this.parked = parked;
    }

    /** One step with the parked messages of a key. */
    void step(Progress progress, Snapshot row) {
        if (!progress.hasCounted() && countsTooFew(progress, row)) {
            return;
        }
        List<Parked> first = parked.first(row.key(), AT_ONCE);
        if (first.isEmpty() && !progress.hasSkipped()) {
            progress.end("nothing is parked");
        } else if (first.isEmpty() && row.parked() > 0) {
            free(progress, row);
        } else if (first.isEmpty()) {
            progress.end(progress.hasDoneSomething() ? progress.said() : "nothing is parked");
        } else if (!progress.hasSkipped()) {
            skip(progress, row, first);
        } else if (progress.request().action() == Action.DROP) {
            drop(progress, row, first);
        } else {
            redrive(progress, row, first);
        }
    }

    /** What has come since that was asked for stays, and keeps the key parked. */
    private void drop(Progress progress, Snapshot row, List<Parked> first) {
        Long last = progress.request().position();
        if (last == null || first.get(0).position() <= last) {
            delete(progress, row, upTo(last == null ? Long.MAX_VALUE : last, first));
        } else {
            progress.end(
                    "%s; %d that came later are still parked"
                            .formatted(progress.said(), parked.rowOfParked(row.key()).parked()));
        }
    }

    private static List<Parked> upTo(long last, List<Parked> first) {
        return first.stream().filter(it -> it.position() <= last).toList();
    }

    /** A row that was deleted by hand and made anew by what came since counts only that. */
    private boolean countsTooFew(Progress progress, Snapshot row) {
        int there = parked.rowOfParked(row.key()).parked();
        if (there <= row.parked()) {
            progress.counted();
            return false;
        }
        parked.save(row.counting(there), List.of(), progress.life());
        return true; // look again
    }

    /** Somebody has deleted messages by hand: the row counts some that are not there. */
    private void free(Progress progress, Snapshot row) {
        if (parked.save(row.unparked(row.parked()), List.of(), progress.life())) {
            progress.freed();
        }
    }

    private void skip(Progress progress, Snapshot row, List<Parked> first) {
        Long position = progress.request().position();
        long present = first.get(0).position();
        if (position == null || present < position) {
            progress.end("the message is not the key's first any more: look again");
        } else if (present > position) {
            progress.foundItSkipped();
        } else if (parked.save(row.unparked(1), List.of(position), progress.life())) {
            progress.skipped();
        }
    }

    /** Drops those up to a position. */
    void dropUpTo(long last, Progress progress, Snapshot row) {
        if (!progress.hasCounted() && countsTooFew(progress, row)) {
            return;
        }
        List<Parked> first = upTo(last, parked.first(row.key(), AT_ONCE));
        if (first.isEmpty()) {
            progress.end(progress.said());
        } else {
            delete(progress, row, first);
        }
    }

    private void delete(Progress progress, Snapshot row, List<Parked> first) {
        if (parked.save(row.unparked(first.size()), positions(first), progress.life())) {
            progress.done(first.size());
        }
    }

    private void redrive(Progress progress, Snapshot row, List<Parked> first) {
        Work<S> work =
                Work.ofParked(Envelope.of(row.key(), first.stream().map(Parked::message).toList()));
        work.startFromLoaded(row);
        fold.fold(work, () -> false, progress.guard());
        Change change = work.change();
        List<Parked> folded = first.subList(0, work.folded());
        if (change != null && !parked.save(change.asSaved(), positions(folded), progress.life())) {
            return; // the row has moved on: look again
        }
        progress.done(folded.size());
        Outcome outcome = work.outcome();
        if (outcome instanceof Outcome.Failed failed) {
            progress.end(
                    "%s; then %s failed again: %s"
                            .formatted(
                                    progress.said(),
                                    first.get(folded.size()).message(),
                                    Words.describe(failed.cause())));
        } else if (outcome instanceof Outcome.Waiting waiting) {
            throw new UnavailableException(
                    "a message can't be folded now: " + Words.describe(waiting.cause()),
                    waiting.cause());
        }
    }

    private static List<Long> positions(List<Parked> messages) {
        return messages.stream().map(Parked::position).toList();
    }
}
