package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Words;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import java.util.ArrayList;
import java.util.List;

/**
 * A request that is being carried out, and what has been done so far: step by step, each a save. It
 * has an answer once there is no more to do.
 *
 * <p>Threads: one thread, the desk's.
 */
final class Progress {

    private static final int MOST_NAMED = 10;

    /** How it stands with the message that is to be left out first. */
    private enum Skipping {
        TO_DO,
        DONE,
        /** There was none, or it was not there any more. */
        NOTHING_TO_DO
    }

    /** Messages that failed again and were deleted: how many, and the first by name. */
    private static final class SkippedFailing {

        private final List<String> named = new ArrayList<>();
        private int inAll;

        void add(Message message) {
            inAll++;
            if (named.size() < MOST_NAMED) {
                named.add(message.toString());
            }
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
    private Request request;
    private Skipping skipping;
    private boolean hasDoneSomething;
    private boolean hasCounted;
    private int done;
    private String answer = "";

    /**
     * One that begins.
     *
     * @param life of the database: what is done in another one is begun anew
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

    /** The request as it stands now. */
    void goesOn(Request now) {
        request = now;
    }

    Incarnation life() {
        return life;
    }

    /** Whether the row is as it was asked for, by whoever had the request before, or by us. */
    boolean isRepaired() {
        return request.action().isRepair() && request.version() == null;
    }

    /** Whether the message has its other value. */
    boolean isReplaced() {
        return request.action() == Action.EDIT && request.version() == null;
    }

    void skipped() {
        skipping = Skipping.DONE;
        hasDoneSomething = true;
    }

    /** It failed again, and is deleted. */
    void skippedFailing(Message message) {
        skippedFailing.add(message);
        hasDoneSomething = true;
    }

    /** By whoever had the request before; or somebody else has taken the message out. */
    void foundItSkipped() {
        skipping = Skipping.NOTHING_TO_DO;
    }

    /** Whether there is no message left that it is to leave out first. */
    boolean hasSkipped() {
        return skipping != Skipping.TO_DO;
    }

    void counted() {
        hasCounted = true;
    }

    /** Whether the row counts no fewer than are parked. */
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
        return hasDoneSomething;
    }

    /** There is no more to do. */
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
