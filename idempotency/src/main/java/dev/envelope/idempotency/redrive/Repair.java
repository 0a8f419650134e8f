package dev.envelope.idempotency.redrive;

import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Changes a row on an operator's request: sets or deletes its state, replaces a parked value, or
 * quarantines the key.
 *
 * @param <S> the state of a key
 */
final class Repair<S> {

    private final EnvelopeFold<S, ?> fold;
    private final ParkedStore parked;
    private final RequestStore requests;
    private final Redrive<S> redrive;

    Repair(EnvelopeFold<S, ?> fold, ParkedStore parked, RequestStore requests, Redrive<S> redrive) {
        this.fold = fold;
        this.parked = parked;
        this.requests = requests;
        this.redrive = redrive;
    }

    void set(Progress progress, Snapshot row) {
        Long version = progress.request().version();
        if (version == null) {
            progress.end(progress.said());
            return;
        }
        try {
            String json = Objects.requireNonNull(progress.request().state());
            byte[] state = fold.canonical(json.getBytes(StandardCharsets.UTF_8));
            repair(progress, row, version, state, row.ids());
        } catch (MalformedException e) {
            progress.end("refused: the handler can't read that state: " + e.getMessage());
        }
    }

    /** Deletes the state first, then the messages that were parked at the time of the request. */
    void delete(Progress progress, Snapshot row) {
        Long version = progress.request().version();
        Long last = progress.request().position();
        if (version == null) {
            redrive.dropUpTo(last == null ? -1 : last, progress, row);
        } else {
            long wanted = version == Request.ANY_VERSION ? row.version() : version;
            repair(progress, row, wanted, null, null);
        }
    }

    /**
     * Saves the row if it is still at the version that the operator has seen, so that later changes
     * are not overwritten. The same transaction records that it is done, so it is done once even if
     * the answer is lost.
     */
    private void repair(
            Progress progress,
            Snapshot row,
            long version,
            byte @Nullable [] state,
            byte @Nullable [] ids) {
        Snapshot next = new Snapshot(row.key(), version + 1, state, row.marks(), ids, row.parked());
        if (row.version() != version) {
            progress.end(
                    "not done: the row is at version %d, and was at %d; look again (envelope pause --key"
                                    .formatted(row.version(), version)
                            + " holds a busy key back)");
        } else if (requests.repair(progress.request(), next, progress.life())
                && progress.request().action() == Action.SET) {
            progress.end(progress.said());
        } // else look again: there is more to do, or the row has changed
    }

    /**
     * Replaces the value of the key's first message, which all others wait for. It is redriven
     * next.
     */
    void replace(Progress progress, Snapshot row) {
        List<Long> first = parked.positions(row.key(), Long.MAX_VALUE, 1);
        if (first.isEmpty() || !first.get(0).equals(progress.request().position())) {
            progress.end("the message is not the key's first any more: look again");
        } else {
            requests.replace(progress.request(), row.counting(row.parked()), progress.life());
        } // look again: it is done, or the row has changed
    }

    /**
     * Makes the row count one parked message that does not exist. While it counts any, new messages
     * are parked; a redrive that finds no messages frees the key.
     */
    void quarantine(Progress progress, Snapshot row) {
        if (row.isAbsent()) {
            Snapshot next = row.counting(row.parked());
            parked.save(progress.request(), next, List.of(), progress.life());
        } else if (row.parked() > 0) {
            progress.end("what comes of it is parked, behind " + row.parked());
        } else {
            if (parked.save(progress.request(), row.counting(1), List.of(), progress.life())) {
                progress.end("what comes of it is parked from now on");
            } // else the row has changed: look again
        }
    }
}
