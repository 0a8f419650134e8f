package dev.envelope.idempotency.work;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Message;
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
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.limit.FailingShares;
import org.jspecify.annotations.Nullable;

/**
 * Calls a user's {@link Work} for each message, in order within an envelope. A message that fails
 * ends its envelope: those before it are done, and are not handled again with the next attempt.
 *
 * @param <M> the decoded value of a message
 */
public final class WorkHandler<M> implements EnvelopeHandler {

    private final Work<M> work;
    private final ValueFormat<M> format;
    private final SettingAside aside;
    private final FailingShares shares;
    private final Telemetry telemetry;

    /**
     * @param shares how many may be set aside before their partition stops instead
     */
    public WorkHandler(
            Work<M> work,
            ValueFormat<M> format,
            SettingAside aside,
            FailingShares shares,
            Telemetry telemetry) {
        this.work = work;
        this.format = format;
        this.aside = aside;
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

        Run(Envelope envelope, Turn turn) {
            this.envelope = envelope;
            this.turn = turn;
        }

        Outcome outcome() {
            for (int at = 0; at < envelope.size(); at++) {
                if (at > 0 && turn.isTimeUp()) {
                    return new Outcome.Deferred(done.done());
                }
                Message message = envelope.messages().get(at);
                @Nullable GivenUp givenUp = at == 0 ? envelope.givenUp() : null;
                try {
                    done.add(handle(message, givenUp));
                } catch (UnavailableException e) {
                    return new Outcome.Waiting(done.done(), waitsFor(e), e);
                } catch (OutOfMemoryError e) {
                    throw e; // the process is to end
                } catch (Exception | Error e) {
                    return new Outcome.Failed(done.done(), e, isWorthARetry(e));
                }
            }
            return Outcome.Saved.of(done.done());
        }

        private Disposition handle(Message message, @Nullable GivenUp givenUp) throws Exception {
            if (givenUp != null || message.refusal() != null) {
                setAside(message, givenUp);
                telemetry.deadLettered(
                        givenUp == null ? "refused" : SetAside.reason(givenUp.cause()), 1);
                return Disposition.PUT_OUT;
            }
            @Nullable M value = decoded(message);
            turn.guard().enter(message, work.getClass());
            @Nullable Throwable thrown = null;
            try {
                work.run(value, message);
            } catch (OutOfMemoryError e) {
                throw e; // the guard stays entered: the process dies at this message
            } catch (Exception | Error e) {
                thrown = e;
            }
            boolean isInTime = turn.guard().leave();
            var unused = Thread.interrupted(); // one that user code left would reach the next one
            if (!isInTime) {
                throw new HandlerTimeoutException(work.getClass(), thrown);
            } else if (thrown instanceof Error error) {
                throw error;
            } else if (thrown instanceof Exception exception) {
                throw exception;
            }
            return Disposition.APPLIED;
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

    private static boolean isWorthARetry(Throwable thrown) {
        return !(thrown instanceof MalformedException || thrown instanceof NoRetryException);
    }

    private static Doing waitsFor(UnavailableException e) {
        return e instanceof DecoderOutException out && !out.isClear()
                ? Doing.UNCLEAR
                : Doing.DECODER_OUT;
    }
}
