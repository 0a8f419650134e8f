package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.decode.DecodeFault;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.turn.Disposition;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.IdWindow;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.dedupe.Verdict;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Dedupes and folds one envelope: from a snapshot to the change that is to be saved. It reads and
 * writes nothing.
 *
 * <p>A message that can't be decoded, or that the fold throws on, ends the envelope: the object
 * that it held may have been changed halfway and is dropped, and the messages before it are folded
 * again from the saved bytes. A message that is given up becomes a dead letter, and its key goes
 * on; or it is parked, and so is all that comes after it of its key, until nothing of the key is
 * parked any more.
 *
 * @param <S> the state of a key
 * @param <M> the decoded value of a message
 */
public final class EnvelopeFold<S, M> {

    private final Fold<S, M> fold;
    private final StateBytes<S> states;
    private final ValueFormat<M> format;
    private final MessageIds ids;
    private final IdLimits idLimits;
    private final @Nullable DeadLetters deadLetters;

    /** A fold that parks what is given up. */
    public EnvelopeFold(
            Fold<S, M> fold,
            StateCodec<S> codec,
            ValueFormat<M> format,
            MessageIds ids,
            IdLimits idLimits,
            int maxStateBytes) {
        this(fold, codec, format, ids, idLimits, maxStateBytes, null);
    }

    /**
     * @param idLimits how many event ids a row remembers, and how long; of no effect where {@code
     *     ids} is {@link MessageIds#NONE}
     * @param deadLetters what makes dead letters of messages that are given up or can't have a row;
     *     null if they are parked
     */
    public EnvelopeFold(
            Fold<S, M> fold,
            StateCodec<S> codec,
            ValueFormat<M> format,
            MessageIds ids,
            IdLimits idLimits,
            int maxStateBytes,
            @Nullable DeadLetters deadLetters) {
        this.fold = fold;
        this.states = new StateBytes<>(codec, maxStateBytes);
        this.format = format;
        this.ids = ids;
        this.idLimits = idLimits;
        this.deadLetters = deadLetters;
    }

    /**
     * Folds the work, as far as its messages and the time allow.
     *
     * @param timeUp whether to leave the rest for another turn
     * @param guard is told of each message that user code is at
     */
    public void fold(Work<S> work, BooleanSupplier timeUp, FoldGuard guard) {
        while (!work.isFolded()) {
            Pass pass = new Pass(work, guard);
            try {
                pass.run(timeUp);
                pass.finish();
            } catch (MessageFailed e) {
                work.fail(pass.at, e.reason, e.retryable);
            } catch (MalformedException e) { // the state that came out of it
                if (!work.halve(pass.at)) {
                    work.fail(0, e, false);
                }
            }
        }
    }

    /** Whether folding it would put something out: its first message is given up, or has no row. */
    public boolean putsOut(Envelope envelope) {
        return deadLetters != null && (envelope.givenUp() != null || envelope.isWithoutRow());
    }

    /** One message could not be folded. It carries no stack: its cause has one. */
    private static final class MessageFailed extends Exception {

        private static final long serialVersionUID = 1L;

        private final Throwable reason;
        private final boolean retryable;

        MessageFailed(Throwable reason, boolean retryable) {
            super(null, reason, false, false);
            this.reason = reason;
            this.retryable = retryable;
        }
    }

    /** One run over the messages. */
    private final class Pass {

        private final Work<S> work;
        private final FoldGuard guard;
        private final Snapshot from;
        private final SetAside aside = new SetAside(deadLetters);
        private final RunningMarks marks;
        private @Nullable IdWindow window;
        private @Nullable S state;
        private boolean hasState;
        private boolean isChanged;
        private int at;
        private Dispositions.@Nullable Tally tally; // null as long as all were applied

        Pass(Work<S> work, FoldGuard guard) {
            this.work = work;
            this.guard = guard;
            this.from = work.snapshot();
            this.marks = new RunningMarks(from.marks());
            this.state = work.takeState();
            this.hasState = state != null;
        }

        void run(BooleanSupplier timeUp) throws MessageFailed {
            List<Message> messages = work.envelope().messages();
            for (at = 0; at < work.limit(); at++) {
                Message message = messages.get(at);
                Disposition disposition = Disposition.DUPLICATE;
                if (message.refusal() != null) {
                    disposition = withoutRow(message);
                } else if (isNew(message)) {
                    if (isChanged && timeUp.getAsBoolean()) {
                        return;
                    }
                    disposition =
                            mustSetAside()
                                    ? aside.add(message, givenUp(), from.parked() > 0)
                                    : apply(message);
                    if (!work.isParked()) {
                        marks.passed(message);
                    }
                    isChanged = true;
                }
                became(disposition);
            }
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

        /** It has no mark; but what stands below the checkpoint was set aside before that was. */
        private Disposition withoutRow(Message message) {
            if (message.epoch().readsAgain(message)) {
                return Disposition.DUPLICATE;
            }
            isChanged = true;
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
            Verdict verdict = marks.judge(message);
            if (verdict == Verdict.REWRITTEN) {
                throw new MessageFailed(new RewrittenLogException(message, from.marks()), false);
            }
            return verdict == Verdict.NEW;
        }

        private Disposition apply(Message message) throws MessageFailed {
            // However long that takes: a decoder may have to wait for whom it asks, which is no
            // attempt (I11).
            guard.enter(message, format.getClass());
            boolean isKnown;
            @Nullable M value;
            try {
                isKnown = isKnown(message);
                byte @Nullable [] bytes = message.value();
                value = isKnown || bytes == null ? null : format.decode(bytes, message);
            } catch (MalformedException e) {
                leave();
                throw new MessageFailed(new SetAside.UndecodableException(e), false);
            } catch (OutOfMemoryError e) {
                throw e; // says nothing about the message; the process is to end
            } catch (RuntimeException | Error e) { // a schema registry is away, a format has a bug
                leave();
                throw new MessageFailed(undecoded(e), true);
            }
            leave();
            if (isKnown) {
                return Disposition.DUPLICATE;
            }
            foldInTime(message, value);
            return Disposition.APPLIED;
        }

        /** Whether its event is; if not, it is from now on: what fails throws this window away. */
        private boolean isKnown(Message message) {
            IdHash id = ids.find(message);
            boolean isKnown = id != null && window().contains(id);
            if (id != null && !isKnown) {
                window().add(id, message.timestampMillis());
            }
            return isKnown;
        }

        private void foldInTime(Message message, @Nullable M value) throws MessageFailed {
            @Nullable MessageFailed failed = null;
            guard.enter(message, fold.getClass());
            try {
                foldDecoded(message, value);
            } catch (MessageFailed e) {
                failed = e;
            } // after an OutOfMemoryError it stays entered: that is what the process dies of
            if (!leave() && !isOfOthers(failed)) {
                @Nullable Throwable thrown = failed == null ? null : failed.reason;
                throw new MessageFailed(new HandlerTimeoutException(fold.getClass(), thrown), true);
            }
            if (failed != null) {
                throw failed;
            }
        }

        /** Whether user code was in time. */
        private boolean leave() {
            boolean isInTime = guard.leave();
            var unused = Thread.interrupted(); // left by user code, the next message would feel it
            return isInTime;
        }

        private void foldDecoded(Message message, @Nullable M value) throws MessageFailed {
            @Nullable S before = currentState();
            try {
                state = fold.apply(before, value, message);
            } catch (MalformedException e) {
                throw new MessageFailed(e, false);
            } catch (OutOfMemoryError e) {
                throw e; // as above
            } catch (Throwable e) { // user code: whatever it throws is a failed attempt
                throw new MessageFailed(e, true);
            }
        }

        /** An interrupt has only ended the wait for somebody else, who is away (I11). */
        private static boolean isOfOthers(@Nullable MessageFailed failed) {
            return failed != null && Work.waitsFor(failed.reason) != null;
        }

        /** What a format has thrown: an outage is told from a bug, whoever has written it. */
        private static Throwable undecoded(Throwable thrown) {
            DecodeFault fault = DecodeFault.of(thrown);
            return fault == DecodeFault.BYTES || thrown instanceof UnavailableException
                    ? thrown
                    : new DecoderOutException(
                            Words.describe(thrown), thrown, fault == DecodeFault.OUTAGE);
        }

        private IdWindow window() {
            if (window == null) {
                window = IdWindow.read(from.ids(), idLimits);
            }
            return window;
        }

        private @Nullable S currentState() throws MessageFailed {
            if (!hasState) {
                try {
                    state = states.read(from.state());
                } catch (UnreadableStateException e) {
                    throw new MessageFailed(e, true);
                }
                hasState = true;
            }
            return state;
        }

        /** Turns what was folded into the change that is to be saved. */
        void finish() {
            if (!isChanged) {
                work.folded(null, state, done());
            } else if (work.envelope().isWithoutRow()) {
                work.folded(
                        Change.ofMessagesWithoutRow(aside.parked(), aside.letters()), null, done());
            } else {
                byte[] ids = window == null ? from.ids() : window.write();
                work.folded(
                        new Change(
                                from.key(),
                                from.version(),
                                encoded(),
                                marks.now(),
                                ids,
                                parkedBefore(),
                                aside.parked(),
                                aside.letters()),
                        state,
                        done());
            }
        }

        /** A parked message that was folded is parked no more. */
        private int parkedBefore() {
            return work.isParked() ? Math.max(0, from.parked() - at) : from.parked();
        }

        private byte @Nullable [] encoded() {
            if (!hasState) {
                return from.state(); // nothing but marks and parked messages
            }
            return state == null ? null : states.write(state);
        }
    }

    /**
     * A state that a person has written, as the codec would have.
     *
     * @throws MalformedException if the codec can't read it, or it is too large
     */
    public byte[] canonical(byte[] json) {
        return states.canonical(json);
    }
}
