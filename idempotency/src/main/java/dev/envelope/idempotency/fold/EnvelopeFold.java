package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Message;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.turn.Disposition;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import dev.envelope.idempotency.dedupe.RunningMarks;
import dev.envelope.idempotency.dedupe.Verdict;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.timer.Firing;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Dedupes and folds one envelope: makes the change to save from a snapshot and messages. Does no
 * I/O.
 *
 * <p>A message that can't be decoded, or for which the fold throws, ends the envelope. The state
 * object may have been changed halfway; it is dropped, and the messages before the failed one are
 * folded again from the saved bytes. A message that is given up either becomes a dead letter, and
 * its key goes on; or it is parked, and so is every later message of its key, until none of the key
 * is parked any more.
 *
 * @param <S> the state of a key
 * @param <M> the decoded value of a message
 */
public final class EnvelopeFold<S, M> {

    private final UserFold<S, M> fold;
    private final StateBytes<S> states;
    private final ValueFormat<M> format;
    private final MessageIds ids;
    private final IdLimits idLimits;
    private final PuttingOut out;

    /** A fold that parks messages that are given up. */
    public EnvelopeFold(
            Fold<S, M> fold,
            StateCodec<S> codec,
            ValueFormat<M> format,
            MessageIds ids,
            IdLimits idLimits,
            int maxStateBytes) {
        this(UserFold.of(fold), codec, format, ids, idLimits, maxStateBytes, PuttingOut.NOTHING);
    }

    /**
     * @param idLimits how many event ids a row remembers, and for how long; no effect if {@code
     *     ids} is {@link MessageIds#NONE}
     */
    public EnvelopeFold(
            UserFold<S, M> fold,
            StateCodec<S> codec,
            ValueFormat<M> format,
            MessageIds ids,
            IdLimits idLimits,
            int maxStateBytes,
            PuttingOut out) {
        this.fold = fold;
        this.states = new StateBytes<>(codec, maxStateBytes);
        this.format = format;
        this.ids = ids;
        this.idLimits = idLimits;
        this.out = out;
    }

    /** How much one turn may fold; {@code timeUp} says whether its time is up. */
    public TurnQuota quota(BooleanSupplier timeUp) {
        return new TurnQuota(out.limits(), timeUp);
    }

    /**
     * Folds the work until its messages end, one fails, or the turn's quota is used up.
     *
     * @param guard is entered and left around each call of user code
     */
    public void fold(Work<S> work, TurnQuota quota, FoldGuard guard) {
        while (!work.isFolded()) {
            Pass pass = new Pass(work, quota, guard);
            try {
                pass.run();
                pass.finish();
            } catch (MessageFailed e) {
                work.fail(pass.at, e.reason(), e.isRetryable());
            } catch (MalformedException e) { // the new state can't be written
                if (!work.halve(pass.at)) {
                    work.fail(0, e, false);
                }
            }
        }
    }

    /** Whether folding it would make a dead letter: its first is given up, or has no row. */
    public boolean putsOut(Envelope envelope) {
        return out.deadLetters() != null && (envelope.givenUp() != null || envelope.isWithoutRow());
    }

    /** Whether messages may set timers. */
    public boolean setsTimers() {
        return out.timers();
    }

    /** Whether messages may become outputs. */
    public boolean emits() {
        return fold.emits() || out.changelog() != null;
    }

    /** One run over the messages of a work. */
    private final class Pass {

        private final Work<S> work;
        private final TurnQuota quota;
        private final FoldGuard guard;
        private final Snapshot from;
        private final SetAside aside = new SetAside(out.deadLetters());
        private @Nullable Collector collector; // null as long as nothing is to happen
        private final RunningMarks marks;
        private final SeenIds seen;
        private final StateBytes<S>.Running state;
        private int last = -1; // of those that have changed something
        private int at;
        private Dispositions.@Nullable Tally tally; // null while all were applied

        Pass(Work<S> work, TurnQuota quota, FoldGuard guard) {
            this.work = work;
            this.quota = quota;
            this.guard = guard;
            this.collector = emits() ? new Collector(quota, out) : null;
            this.from = work.snapshot();
            this.marks = new RunningMarks(from.marks());
            this.seen = new SeenIds(ids, idLimits, from.ids());
            this.state = states.running(from.state(), work.takeState());
        }

        void run() throws MessageFailed {
            List<Message> messages = work.envelope().messages();
            for (at = 0; at < work.limit(); at++) {
                Message message = messages.get(at);
                Disposition disposition = Disposition.DUPLICATE;
                if (message.refusal() != null) {
                    disposition = withoutRow(message);
                } else if (isNew(message)) {
                    boolean isLater = collector != null && collector.hasSet(message);
                    if (last >= 0 && (quota.isOver() || isLater)) {
                        return;
                    }
                    disposition = handle(message);
                    if (!work.isParked()) {
                        marks.passed(message);
                    }
                    last = at;
                }
                became(disposition);
            }
        }

        /** A message that was not seen before. */
        private Disposition handle(Message message) throws MessageFailed {
            @Nullable Firing firing = Firing.of(message);
            if (firing != null && isOutOfDate(firing)) {
                return Disposition.DUPLICATE;
            }
            @Nullable String command = Reply.command(message);
            Disposition disposition;
            if (command != null && isApplied(command)) {
                disposition = Disposition.DUPLICATE;
            } else if (mustSetAside()) {
                disposition = aside.add(message, givenUp(), from.parked() > 0);
            } else {
                disposition = apply(message, firing);
            }
            if (command != null) {
                collector().became(message, command, disposition, givenUp());
            }
            return disposition;
        }

        /** Whether a timer counts no more. A firing that was set aside is judged again later. */
        private boolean isOutOfDate(Firing firing) {
            return (collector != null && collector.hasTouched(firing.name()))
                    || work.beside().isOutOfDate(firing);
        }

        private boolean isApplied(String command) {
            return (collector != null && collector.hasApplied(command))
                    || work.beside().isApplied(command, from.marks());
        }

        private Collector collector() {
            if (collector == null) {
                collector = new Collector(quota, out);
            }
            return collector;
        }

        private void became(Disposition disposition) {
            if (tally == null && disposition != Disposition.APPLIED) {
                tally = Dispositions.Tally.after(at);
            }
            if (tally != null) {
                tally.add(disposition);
            }
        }

        private Dispositions done() {
            return tally == null ? Dispositions.applied(at) : tally.done();
        }

        /**
         * Messages without a row have no mark. One below the checkpoint was set aside before the
         * checkpoint was written; of a table's rows the save finds out whether it was.
         */
        private Disposition withoutRow(Message message) {
            @Nullable String row = TableRow.idOf(message);
            if (row != null && !marks.hasPassed(row)) {
                marks.passed(message);
            } else if (row != null) {
                return Disposition.DUPLICATE;
            } else if (message.epoch().readsAgain(message)) {
                return Disposition.DUPLICATE;
            }
            last = at;
            return aside.withoutRow(message);
        }

        private boolean mustSetAside() {
            return !work.isParked()
                    && (givenUp() != null || from.parked() > 0 || aside.hasParked());
        }

        private @Nullable GivenUp givenUp() {
            return at == 0 ? work.envelope().givenUp() : null;
        }

        private boolean isNew(Message message) throws MessageFailed {
            if (work.isParked()) {
                return true;
            }
            @Nullable String row = TableRow.idOf(message);
            if (row != null) {
                return work.isWaiting(row) && !marks.hasPassed(row);
            }
            Verdict verdict = marks.judge(message);
            if (verdict == Verdict.REWRITTEN) {
                throw new MessageFailed(new RewrittenLogException(message, from.marks()), false);
            }
            return verdict == Verdict.NEW && !message.epoch().readsAgainForOthers(message);
        }

        private Disposition apply(Message message, @Nullable Firing firing) throws MessageFailed {
            if (firing != null) {
                foldInTime(message, null, firing);
                return Disposition.APPLIED;
            }
            // What leave() says is ignored: to wait for a registry is no failed attempt (I11).
            guard.enter(message, format.getClass());
            boolean isKnown;
            @Nullable M value;
            try {
                isKnown = seen.isKnown(message); // adds the id; a failure drops the run
                byte @Nullable [] bytes = message.value();
                value = isKnown || bytes == null ? null : format.decode(bytes, message);
            } catch (MalformedException e) {
                leave();
                throw new MessageFailed(new SetAside.UndecodableException(e), false);
            } catch (OutOfMemoryError e) {
                throw e; // says nothing about the message; the process is to end
            } catch (RuntimeException | Error e) { // a schema registry is away, a format has a bug
                leave();
                throw new MessageFailed(DecoderOutException.unlessOfBytes(e), true);
            }
            leave();
            if (isKnown) {
                return Disposition.DUPLICATE;
            }
            foldInTime(message, value, null);
            return Disposition.APPLIED;
        }

        private void foldInTime(Message message, @Nullable M value, @Nullable Firing firing)
                throws MessageFailed {
            @Nullable MessageFailed failed = null;
            guard.enter(message, fold.handler());
            try {
                foldDecoded(message, value, firing);
            } catch (MessageFailed e) {
                failed = e;
            } // after an OutOfMemoryError the guard stays entered: the process dies in this fold
            if (!leave() && (failed == null || failed.waitsFor() == null)) { // I11
                @Nullable Throwable thrown = failed == null ? null : failed.reason();
                throw new MessageFailed(new HandlerTimeoutException(fold.handler(), thrown), true);
            }
            if (failed != null) {
                throw failed;
            }
        }

        /** Ends a call of user code; returns whether it was in time. */
        private boolean leave() {
            boolean isInTime = guard.leave();
            var unused = Thread.interrupted(); // or one that user code left reaches the next call
            return isInTime;
        }

        private void foldDecoded(Message message, @Nullable M value, @Nullable Firing firing)
                throws MessageFailed {
            @Nullable S before = state.now();
            @Nullable Effects effects =
                    collector == null && firing == null ? null : collector().begin(message, firing);
            try {
                state.becomes(fold.call().apply(before, value, message, effects));
                if (collector != null) {
                    collector.end();
                }
            } catch (MalformedException e) {
                throw new MessageFailed(e, false);
            } catch (OutOfMemoryError e) {
                throw e; // as above
            } catch (Throwable e) { // anything that user code throws is a failed attempt
                throw new MessageFailed(e, true);
            }
        }

        /** Makes the change to save from what was folded. */
        void finish() throws MessageFailed {
            if (last < 0) {
                work.folded(null, state.live(), done());
            } else if (work.envelope().isWithoutRow()) {
                work.folded(
                        Change.ofMessagesWithoutRow(
                                work.key(), aside.parked(), aside.letters(), marks.rowsDone()),
                        null,
                        done());
            } else {
                byte @Nullable [] encoded = encoded();
                work.folded(
                        new Change(
                                from.key(),
                                from.version(),
                                encoded,
                                marks.now(),
                                seen.now(),
                                parkedBefore(),
                                Change.Beside.of(
                                        aside.parked(),
                                        aside.letters(),
                                        effects(encoded),
                                        marks.rowsDone())),
                        state.live(),
                        done());
            }
        }

        /** A codec is user code: memory, or time, may run out for what the last message made. */
        private byte @Nullable [] encoded() throws MessageFailed {
            guard.enter(work.envelope().messages().get(last), states.codec());
            byte @Nullable [] encoded;
            try {
                encoded = state.encoded();
            } catch (MalformedException e) {
                if (leave()) {
                    throw e;
                }
                at = last;
                throw new MessageFailed(new HandlerTimeoutException(states.codec(), e), true);
            }
            leave(); // late or not, it is written
            return encoded;
        }

        private HandlerEffects effects(byte @Nullable [] encoded) {
            return collector == null
                    ? HandlerEffects.NONE
                    : collector.effects(from.key(), from.state(), encoded);
        }

        /** The row's count of parked messages, less those that were folded. */
        private int parkedBefore() {
            return work.isParked() ? Math.max(0, from.parked() - at) : from.parked();
        }
    }

    /** A state that a person has written, as the codec writes it; it may be malformed. */
    public byte[] canonical(byte[] json) {
        return states.canonical(json);
    }
}
