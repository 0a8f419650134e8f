package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Words;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.store.parked.ParkedStore.Parked;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request that is being carried out, and what has been done so far, in steps of one save each. It
 * has an answer once nothing is left to do.
 *
 * <p>Threads: one thread, the desk's.
 */
final class Progress {

    private static final Logger log = LoggerFactory.getLogger(Progress.class);
    private static final int MOST_NAMED = 10;

    /** Whether the message that is to be skipped first was skipped. */
    private enum Skipping {
        TO_DO,
        DONE,
        /** There is none, or it was not parked any more. */
        NOTHING_TO_DO
    }

    /**
     * The messages that failed again and were deleted: their number, and the first ones by name.
     */
    private static final class SkippedFailing {

        private final List<String> named = new ArrayList<>();
        private int inAll;
        private @Nullable Parked beingDeleted; // until it is known whether it was

        void deleting(Parked message) {
            beingDeleted = message;
        }

        /** Returns the message, if it was deleted. */
        @Nullable Message deleted(boolean isDeleted) {
            Parked message = beingDeleted;
            beingDeleted = null;
            if (!isDeleted || message == null) {
                return null;
            }
            inAll++;
            if (named.size() < MOST_NAMED) {
                named.add(message.message().toString());
            }
            return message.message();
        }

        /** Whether a deletion without a reply was done, by what the first message is now. */
        @Nullable Message first(@Nullable Long position) {
            return deleted(
                    beingDeleted != null
                            && (position == null || position > beingDeleted.position()));
        }

        String said() {
            int more = inAll - named.size();
            return inAll == 0
                    ? ""
                    : ", skipped %d that fail: %s%s"
                            .formatted(
                                    inAll,
                                    String.join(", ", named),
                                    more == 0 ? "" : " and " + more + " more");
        }
    }

    private final FoldGuard guard;
    private final Incarnation life;
    private final SkippedFailing skippedFailing = new SkippedFailing();
    private final StepSize stepSize = new StepSize();
    private Request request;
    private Skipping skipping;
    private boolean hasDoneSomething;
    private boolean hasCounted;
    private int done;
    private String answer = "";

    /**
     * A request that begins.
     *
     * @param life the incarnation of the database; in another one the request starts over
     */
    Progress(Request request, FoldGuard guard, Incarnation life) {
        this.request = request;
        this.guard = guard;
        this.life = life;
        this.skipping = request.action() == Action.SKIP ? Skipping.TO_DO : Skipping.NOTHING_TO_DO;
    }

    Request request() {
        return request;
    }

    FoldGuard guard() {
        return guard;
    }

    /** Sets the request's present form. */
    void goesOn(Request now) {
        request = now;
    }

    Incarnation life() {
        return life;
    }

    /** Whether nobody else has broken this request off since, in this life of the database. */
    boolean isOf(Request taken, Incarnation now) {
        return life.equals(now) && request.brokenOff() == taken.brokenOff();
    }

    /** Whether the row was set or deleted, by this process or one that had the request before. */
    boolean isRepaired() {
        return request.action().isRepair() && request.version() == null;
    }

    /** Whether the message's value was replaced. */
    boolean isReplaced() {
        return request.action() == Action.EDIT && request.version() == null;
    }

    void skipped() {
        skipping = Skipping.DONE;
        hasDoneSomething = true;
    }

    /** How many messages the next save takes out. */
    StepSize stepSize() {
        return stepSize;
    }

    /** A message failed again and is about to be deleted. */
    void skipsFailing(Parked message) {
        skippedFailing.deleting(message);
    }

    /** Whether it was deleted. */
    void skippedFailing(boolean isDeleted) {
        log(skippedFailing.deleted(isDeleted));
    }

    /** What the key's first message is now, null if none is parked. */
    void sees(@Nullable Long first) {
        log(skippedFailing.first(first));
    }

    private void log(@Nullable Message skipped) {
        if (skipped != null) {
            log.info(
                    "request {}: skipped {} of key {}, which fails",
                    request.number(),
                    skipped,
                    Words.quote(request.key()));
        }
    }

    /** The message was skipped before, or is not parked any more. */
    void foundItSkipped() {
        skipping = Skipping.NOTHING_TO_DO;
    }

    /** Whether no message is left to skip first. */
    boolean hasSkipped() {
        return skipping != Skipping.TO_DO;
    }

    void counted() {
        hasCounted = true;
    }

    /** Whether the row's count was found to cover all parked messages. */
    boolean hasCounted() {
        return hasCounted;
    }

    void freed() {
        hasDoneSomething = true;
    }

    void done(int messages) {
        done += messages;
        hasDoneSomething |= messages > 0;
    }

    boolean hasDoneSomething() {
        return hasDoneSomething || skippedFailing.inAll > 0;
    }

    /** Ends the request with this answer. */
    void end(String words) {
        answer = words;
    }

    boolean isAtItsEnd() {
        return !answer.isEmpty();
    }

    String answer() {
        return answer;
    }

    /** What has been done, in words. */
    String said() {
        return switch (request.action()) {
            case SKIP ->
                    (skipping == Skipping.DONE ? "skipped 1" : "it was not parked any more")
                            + ", redrove "
                            + done;
            case EDIT -> (isReplaced() ? "replaced its value, redrove " : "redrove ") + done;
            case REDRIVE -> "redrove " + done;
            case SKIP_FAILING -> "redrove " + done + skippedFailing.said();
            case DROP -> "dropped " + done;
            case DELETE -> "deleted, with " + Words.count(done, "parked message");
            case SET -> "set";
            case QUARANTINE -> "quarantined";
        };
    }
}
