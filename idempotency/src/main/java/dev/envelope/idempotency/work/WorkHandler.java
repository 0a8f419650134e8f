package dev.envelope.idempotency.work;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.OverRateException;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.turn.Disposition;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.limit.FailingShares;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.WorkBatch.Item;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls a user's {@link Work} for each message, or {@link WorkBatch} for several, in order within
 * an envelope. A message that fails ends its envelope: those before it are done, and are not
 * handled again with the next attempt. If a batch fails and does not say at which message, its
 * messages are called one by one; so is the one that is tried again. With a database each call is a
 * transaction that marks its messages; those that are marked are left out.
 *
 * @param <M> the decoded value of a message
 */
public final class WorkHandler<M> implements EnvelopeHandler {

    private final Calls<M> calls;
    private final ValueFormat<M> format;
    private final SettingAside aside;
    private final Transactions transactions;
    private final FailingShares shares;
    private final Telemetry telemetry;

    /** A handler without a database. */
    public WorkHandler(
            Calls<M> calls,
            ValueFormat<M> format,
            SettingAside aside,
            FailingShares shares,
            Telemetry telemetry) {
        this(calls, format, aside, Transactions.NONE, shares, telemetry);
    }

    /**
     * @param transactions in which messages are handled and set aside
     * @param shares how many may be set aside before their partition stops instead
     */
    public WorkHandler(
            Calls<M> calls,
            ValueFormat<M> format,
            SettingAside aside,
            Transactions transactions,
            FailingShares shares,
            Telemetry telemetry) {
        if (calls.inTransaction() == (transactions == Transactions.NONE)) {
            throw new IllegalArgumentException(
                    "a handler gets a connection where there is a database, and only there");
        }
        this.calls = calls;
        this.format = format;
        this.aside = aside;
        this.transactions = transactions;
        this.shares = shares;
        this.telemetry = telemetry;
    }

    /** What becomes of messages that can't be handled. */
    @FunctionalInterface
    public interface SettingAside {

        /** For those who want a partition to stop there. */
        SettingAside NEVER =
                (message, givenUp) -> {
                    throw new MalformedException(
                            givenUp == null
                                    ? "it can't be handled: " + message.refusal()
                                    : "it is not to be set aside");
                };

        /**
         * Sets a message aside, durably.
         *
         * @param givenUp its last failure; null if it has no key that it can be handled by
         * @throws UnavailableException if that can't be done now
         */
        void setAside(Message message, @Nullable GivenUp givenUp);
    }

    @Override
    public void handle(Turn turn) {
        turn.begins(Stage.FOLD);
        for (int place = 0; place < turn.envelopes().size(); place++) {
            Envelope envelope = turn.envelopes().get(place);
            if (envelope.carried() instanceof Outcome before) {
                settle(turn, place, before); // of work that had outlasted its turn
            } else if (!turn.enter(place)) {
                turn.settle(place, Outcome.Deferred.NOT_BEGUN);
            } else {
                Outcome outcome = new Run(envelope, turn).outcome();
                if (!turn.leave(place, outcome)) {
                    return; // the turn belongs to another worker now
                }
                settle(turn, place, outcome);
            }
        }
    }

    private void settle(Turn turn, int place, Outcome outcome) {
        int applied = outcome.done().count(Disposition.APPLIED);
        shares.passed(turn.envelopes().get(place).messages().get(0).epoch(), applied);
        telemetry.saved(0, applied);
        telemetry.duplicates(outcome.done().count(Disposition.DUPLICATE));
        turn.settle(place, outcome);
    }

    /**
     * One envelope in one turn.
     *
     * <p>Threads: one thread.
     */
    private final class Run {

        private final Envelope envelope;
        private final Turn turn;
        private final Dispositions.Tally done = new Dispositions.Tally();

        /** Up to there each message is called by itself, since a batch with it has failed. */
        private int aloneUpTo;

        /** What the code that was called has thrown last. */
        private @Nullable Throwable thrown;

        /** Whether it was not that code that has failed last. */
        private boolean isDatabaseAway;

        Run(Envelope envelope, Turn turn) {
            this.envelope = envelope;
            this.turn = turn;
            this.aloneUpTo = envelope.waited() == Doing.RETRYING ? 1 : 0;
        }

        Outcome outcome() {
            while (done.size() < envelope.size()) {
                if (isOver() || (isBetweenBatches() && turn.isTimeUp())) {
                    return new Outcome.Deferred(done.done());
                }
                @Nullable Outcome end = handleNext();
                if (end != null) {
                    return end;
                }
            }
            return Outcome.Saved.of(done.done());
        }

        /**
         * Of a batch that has failed each message is called, however long that takes: with the next
         * turn it would be called as a batch again.
         */
        private boolean isBetweenBatches() {
            return done.size() > 0 && done.size() >= aloneUpTo;
        }

        /** Whether the next message is another process's by now. */
        private boolean isOver() {
            return !envelope.messages().get(done.size()).epoch().isLive();
        }

        /** Null if the envelope goes on. */
        private @Nullable Outcome handleNext() {
            Message first = envelope.messages().get(done.size());
            @Nullable GivenUp givenUp = done.size() == 0 ? envelope.givenUp() : null;
            int size = 1;
            try {
                if (givenUp != null || first.refusal() != null) {
                    once(
                            List.of(first),
                            Disposition.PUT_OUT,
                            (before, unused) -> setAside(first, givenUp));
                } else {
                    List<Item<M>> batch = batch(first);
                    size = batch.size();
                    once(
                            batch.stream().map(Item::message).toList(),
                            Disposition.APPLIED,
                            (before, connection) -> call(without(batch, before), connection));
                }
                return null;
            } catch (OutOfMemoryError e) {
                throw e; // the process is to end
            } catch (Exception | Error e) {
                return failed(e, size);
            }
        }

        private void once(List<Message> messages, Disposition what, Transactions.Action action)
                throws Exception {
            BitSet before;
            try {
                before =
                        transactions.once(
                                messages,
                                (places, connection) -> {
                                    try {
                                        action.run(places, connection);
                                    } catch (Exception | Error e) {
                                        thrown = e;
                                        throw e;
                                    }
                                });
            } catch (UnavailableException e) {
                isDatabaseAway = e != thrown;
                throw e;
            }
            for (int i = 0; i < messages.size(); i++) {
                done.add(before.get(i) ? Disposition.DUPLICATE : what);
            }
        }

        private List<Item<M>> without(List<Item<M>> batch, BitSet before) {
            if (before.isEmpty()) {
                return batch;
            }
            List<Item<M>> left = new ArrayList<>(batch.size());
            for (int i = 0; i < batch.size(); i++) {
                if (!before.get(i)) {
                    left.add(batch.get(i));
                }
            }
            return List.copyOf(left);
        }

        /** Null if it is not known which message of a batch has failed: each is called alone. */
        private @Nullable Outcome failed(Throwable failure, int size) {
            Throwable why = failure;
            if (failure instanceof PartlyDoneException partly && partly.isOf(size)) {
                why = partly.why();
                if (calls.inTransaction() && size > 1) { // what was done of it is rolled back
                    aloneUpTo = done.size() + size;
                    return null;
                }
                for (int i = 0; i < partly.done(); i++) {
                    done.add(Disposition.APPLIED);
                }
            } else if (size > 1 && !waitsAsABatch(failure)) {
                aloneUpTo = done.size() + size;
                return null;
            }
            if (why instanceof StoreException.RowLocked) {
                return new Outcome.Waiting(done.done(), Doing.LOCKED, why);
            } else if (why instanceof UnavailableException away) {
                return isDatabaseAway
                        ? unserved(away)
                        : new Outcome.Waiting(done.done(), waitsFor(away), away);
            }
            return new Outcome.Failed(done.done(), why, isWorthARetry(why));
        }

        /** Of an outcome that says this nothing may be done. */
        private Outcome unserved(UnavailableException why) {
            if (done.size() > 0) {
                return new Outcome.Deferred(done.done()); // the next turn begins with the message
            }
            return why instanceof OtherIncarnationException
                    ? Outcome.Superseded.SUPERSEDED
                    : new Outcome.Unavailable(why);
        }

        /** The next messages, as far as they can be handled together. */
        private List<Item<M>> batch(Message first) {
            int at = done.size();
            int most = at < aloneUpTo ? 1 : Math.min(calls.most(), envelope.size() - at);
            Item<M> item = new Item<>(decoded(first), first);
            if (most == 1) {
                return List.of(item);
            }
            List<Item<M>> batch = new ArrayList<>(most);
            batch.add(item);
            for (Message message : envelope.messages().subList(at + 1, at + most)) {
                try {
                    if (message.refusal() != null) {
                        break;
                    }
                    batch.add(new Item<>(decoded(message), message));
                } catch (RuntimeException e) {
                    break; // it is the first of the next batch, and fails there
                }
            }
            return List.copyOf(batch);
        }

        private void call(List<Item<M>> batch, @Nullable Connection connection) throws Exception {
            turn.guard().enter(batch.get(0).message(), calls.handler().getClass());
            @Nullable Throwable failure = null;
            try {
                calls.call().run(batch, connection);
            } catch (OutOfMemoryError e) {
                throw e; // the guard stays entered: the process dies at this message
            } catch (Exception | Error e) {
                failure = e;
            }
            boolean isInTime = turn.guard().leaveCall(failure == null);
            var unused = Thread.interrupted(); // one that user code left would reach the next one
            if (!isInTime) {
                throw new HandlerTimeoutException(calls.handler().getClass(), failure);
            } else if (failure instanceof Error error) {
                throw error;
            } else if (failure instanceof Exception exception) {
                throw exception;
            }
        }

        private void setAside(Message message, @Nullable GivenUp givenUp) {
            String why = shares.tooHigh(message.epoch());
            if (!why.isEmpty()) {
                throw new NoRetryException(
                        why
                                + (givenUp == null
                                        ? ""
                                        : "; this one with " + Words.describe(givenUp.cause())));
            }
            aside.setAside(message, givenUp);
            shares.failed(message.epoch());
            telemetry.deadLettered(
                    givenUp == null ? "refused" : SetAside.reason(givenUp.cause()), 1);
        }

        private @Nullable M decoded(Message message) {
            byte @Nullable [] bytes = message.value();
            if (bytes == null) {
                return null;
            }
            turn.guard().enter(message, format.getClass());
            try {
                return format.decode(bytes, message);
            } catch (MalformedException e) {
                throw SetAside.undecodable(e);
            } catch (RuntimeException e) {
                Throwable why = DecoderOutException.unlessOfBytes(e);
                throw why instanceof RuntimeException it ? it : e;
            } finally {
                var unused = turn.guard().leave(); // an outage of a decoder is no failed attempt
            }
        }
    }

    /** One that is over a limit may be so at a later message, and would be so each time. */
    private static boolean waitsAsABatch(Throwable failure) {
        return failure instanceof UnavailableException && !(failure instanceof OverRateException);
    }

    private static boolean isWorthARetry(Throwable thrown) {
        return !(thrown instanceof MalformedException
                || thrown instanceof NoRetryException
                || thrown instanceof RewrittenLogException);
    }

    private static Doing waitsFor(UnavailableException e) {
        if (e instanceof OverRateException) {
            return Doing.CALLS_OVER_RATE;
        }
        return e instanceof DecoderOutException out && !out.isClear()
                ? Doing.UNCLEAR
                : Doing.DECODER_OUT;
    }
}
