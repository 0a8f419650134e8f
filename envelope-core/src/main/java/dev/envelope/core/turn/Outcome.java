package dev.envelope.core.turn;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.InvariantViolation;
import org.jspecify.annotations.Nullable;

/**
 * What became of an envelope in a turn: the dispositions of its first messages, and why the rest
 * comes again.
 */
public sealed interface Outcome {

    /** The dispositions of the messages that are done, from the first; the others come again. */
    Dispositions done();

    /** Every message of an envelope was applied. */
    static Saved applied(Envelope envelope) {
        return Saved.of(Dispositions.applied(envelope.size()));
    }

    /** Every message of it is done. */
    record Saved(Dispositions done) implements Outcome {
        private static final Saved ONE = new Saved(Dispositions.applied(1));

        /** One shared object for the many envelopes of one applied message. */
        public static Saved of(Dispositions done) {
            return done == ONE.done ? ONE : new Saved(done);
        }
    }

    /** The first messages are done, the others come again in a later turn. */
    record Deferred(Dispositions done) implements Outcome {
        public static final Outcome NOT_BEGUN = new Deferred(Dispositions.NONE);
    }

    /**
     * A message failed on a state that was loaded or confirmed: this counts as an attempt.
     *
     * @param done those before the failed one
     * @param retryable false if another attempt can't succeed
     */
    record Failed(Dispositions done, Throwable cause, boolean retryable) implements Outcome {}

    /**
     * A message can't be folded or saved now, and nothing shows that it is at fault: no attempt is
     * counted; its key waits, in order, while others flow.
     *
     * @param done those before it
     * @param why one of {@link Doing#WAITS}
     * @param cause what went wrong, if something did
     */
    record Waiting(Dispositions done, Doing why, @Nullable Throwable cause) implements Outcome {

        public Waiting {
            if (!Doing.WAITS.contains(why)) {
                throw new InvariantViolation(
                        "a handler can't report this as a reason to wait: " + why);
            }
        }

        /** Nothing of the envelope is done. */
        public static Waiting on(Doing why) {
            return new Waiting(Dispositions.NONE, why, null);
        }
    }

    /**
     * The store could not serve, or the outcome of a save is unknown: the envelope comes again, and
     * its row is loaded.
     */
    record Unavailable(Throwable cause) implements Outcome {

        @Override
        public Dispositions done() {
            return Dispositions.NONE;
        }
    }

    /**
     * It was not begun, since there is no room for what the handler would put out: that of no key.
     * All of them wait, and none is asked before the others.
     */
    enum Crowded implements Outcome {
        CROWDED;

        @Override
        public Dispositions done() {
            return Dispositions.NONE;
        }
    }

    /** The epoch that the envelope belongs to is over or was positioned in another incarnation. */
    enum Superseded implements Outcome {
        SUPERSEDED;

        @Override
        public Dispositions done() {
            return Dispositions.NONE;
        }
    }
}
