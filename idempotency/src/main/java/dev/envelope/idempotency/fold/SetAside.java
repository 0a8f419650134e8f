package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Words;
import dev.envelope.core.turn.Disposition;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages that one run over an envelope sets aside: parked, with all later ones of the key, or
 * put out alone as dead letters.
 *
 * <p>Threads: one thread, one run.
 */
public final class SetAside {

    /** Why a message is set aside: its bytes can't be decoded. */
    public static final String UNDECODABLE = "undecodable";

    /** Why a message is set aside: its last attempt has failed. */
    public static final String FAILED = "failed";

    /** Why a message is set aside: processes have died while it was folded. */
    public static final String KILLED_PROCESS = "killed-process";

    /** Why a message is parked: an earlier one of its key is. */
    public static final String BEHIND = "behind";

    private static final String WHY_BEHIND =
            "a message of its key before it was parked when it came";

    /** The cause of giving up a message that can't be decoded. */
    static final class UndecodableException extends MalformedException {

        private static final long serialVersionUID = 1L;

        UndecodableException(MalformedException why) {
            super(String.valueOf(why.getMessage()));
        }
    }

    private final @Nullable DeadLetters deadLetters;
    private List<ParkedMessage> parked = List.of(); // both stay empty in the usual case
    private List<OutboxRecord> letters = List.of();

    SetAside(@Nullable DeadLetters deadLetters) {
        this.deadLetters = deadLetters;
    }

    /** A message that can't have a row. */
    Disposition withoutRow(Message message) {
        String refusal = String.valueOf(message.refusal());
        int colon = refusal.indexOf(':');
        String reason = colon < 0 ? refusal : refusal.substring(0, colon);
        String why = refusal.substring(colon + 1).strip();
        if (deadLetters == null) {
            return park(new ParkedMessage(message, null, reason, why, 0));
        }
        return putOut(deadLetters.ofRefused(message, reason, why));
    }

    /**
     * A message that is given up, or that comes after a parked one.
     *
     * @param givenUp null if it was not tried
     * @param isBehind whether messages of its key are parked: then this one is parked, too,
     *     whatever the policy, since it must not overtake them
     */
    Disposition add(Message message, @Nullable GivenUp givenUp, boolean isBehind) {
        if (givenUp == null) {
            return park(new ParkedMessage(message, message.key(), BEHIND, why(null), 0));
        }
        Throwable cause = givenUp.cause();
        String reason = reason(cause);
        if (deadLetters == null || isBehind) {
            return park(
                    new ParkedMessage(
                            message, message.key(), reason, why(givenUp), givenUp.attempts()));
        }
        return putOut(
                deadLetters.ofFailed(message, reason, kind(cause), cause, givenUp.attempts()));
    }

    private Disposition park(ParkedMessage message) {
        parked = parked.isEmpty() ? new ArrayList<>() : parked;
        parked.add(message);
        return Disposition.PARKED;
    }

    private Disposition putOut(OutboxRecord record) {
        letters = letters.isEmpty() ? new ArrayList<>() : letters;
        letters.add(record);
        return Disposition.PUT_OUT;
    }

    /** The reason word for a failure. */
    public static String reason(Throwable cause) {
        return cause instanceof UndecodableException
                ? UNDECODABLE
                : cause instanceof KilledProcessException ? KILLED_PROCESS : FAILED;
    }

    /** The class of exception that is named for a failure. */
    public static Class<? extends Throwable> kind(Throwable cause) {
        return cause instanceof UndecodableException ? MalformedException.class : cause.getClass();
    }

    /** A failure whose reason word is {@link #UNDECODABLE}. */
    public static MalformedException undecodable(MalformedException why) {
        return new UndecodableException(why);
    }

    /** Why a message is set aside, in words. */
    static String why(@Nullable GivenUp givenUp) {
        return givenUp == null ? WHY_BEHIND : Words.describe(givenUp.cause());
    }

    boolean hasParked() {
        return !parked.isEmpty();
    }

    List<ParkedMessage> parked() {
        return parked;
    }

    List<OutboxRecord> letters() {
        return letters;
    }
}
