package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.MustStopException;
import dev.envelope.core.api.OverRateException;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Outcome.Deferred;
import dev.envelope.core.turn.Outcome.Failed;
import dev.envelope.core.turn.Outcome.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Books the envelopes of a turn that has ended: acks what is durable, and keeps the rest for a
 * later turn.
 *
 * <p>Threads: thread-safe (an adder, and parts that are thread-safe); the thread that books a turn
 * owns it and its shards.
 */
final class Booking {

    private static final Duration LOCK_BACKOFF = Duration.ofMillis(20);
    private static final Duration LOCK_BACKOFF_MAX = Duration.ofSeconds(1);
    private static final Duration WAIT_BACKOFF = Duration.ofMillis(50);
    private static final Duration WAIT_BACKOFF_MAX = Duration.ofSeconds(5);
    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final Duration ROOM_WAIT = Duration.ofMillis(500);

    private final AckInbox inbox;
    private final FailurePolicy policy;
    private final Environment environment;
    private final Telemetry telemetry;
    private final StoreHealth store = new StoreHealth();
    private final UnreadStates unread = new UnreadStates();
    private final LongAdder handled = new LongAdder();
    private final LongAdder envelopes = new LongAdder(); // of those

    Booking(AckInbox inbox, FailurePolicy policy, Environment environment, Telemetry telemetry) {
        this.inbox = inbox;
        this.policy = policy;
        this.environment = environment;
        this.telemetry = telemetry;
    }

    /**
     * Books every envelope of a turn, and releases its shards.
     *
     * @param slow the envelope whose fold still runs after the turn has ended, or -1
     */
    void book(long turn, List<Shard> shards, Drained drained, int slow) {
        Acks acks = new Acks();
        int place = 0;
        for (int of = 0; of < shards.size(); of++) {
            for (; place < drained.end(of); place++) {
                book(turn, shards.get(of), drained, place, place == slow, acks);
            }
        }
        acks.postTo(inbox);
        for (Shard shard : shards) {
            shard.release();
        }
    }

    private void book(long turn, Shard shard, Drained drained, int at, boolean isSlow, Acks acks) {
        Drained.Place place = drained.place(at);
        Envelope envelope = drained.envelopes().get(at);
        if (isSlow || place.isHandedOver) {
            KeyActor holder =
                    place.actor != null
                            ? place.actor
                            : shard.hold(envelope.key(), envelope.messages());
            if (!isSlow) {
                holder.locked();
            }
            holder.leftBehind(turn, envelope.size());
            holder.stands(isSlow ? Doing.SLOW : Doing.LOCKED, nanoTime(), null);
        } else {
            Outcome outcome = place.outcome == null ? Deferred.NOT_BEGUN : place.outcome;
            book(shard, place.actor, envelope, outcome, acks);
        }
    }

    private void book(
            Shard shard, @Nullable KeyActor actor, Envelope envelope, Outcome outcome, Acks acks) {
        int durable = outcome.done().size();
        List<Message> messages = envelope.messages();
        for (int i = 0; i < durable; i++) {
            acks.add(messages.get(i));
        }
        if (durable > 0) {
            store.served();
            shard.storeServed();
            shard.handled(envelope.key(), durable);
            handled.add(durable);
            envelopes.increment();
        }
        if (actor == null && durable == envelope.size()) {
            return;
        }
        KeyActor holder = actor != null ? actor : shard.hold(envelope.key(), messages);
        holder.saved(durable);
        bookRest(shard, holder, envelope, outcome);
    }

    /**
     * Decides when the rest comes again, by the reason why it is not done. If the store has
     * answered, whatever the answer was, the shard's back-off ends; if it has not, the whole shard
     * waits.
     */
    private void bookRest(Shard shard, KeyActor holder, Envelope envelope, Outcome outcome) {
        if (outcome instanceof Failed failed) {
            shard.storeServed();
            attemptFailed(shard, holder, envelope.messages().get(failed.done().size()), failed);
        } else if (outcome instanceof Waiting waiting) {
            keepWaiting(shard, holder, envelope, waiting);
        } else if (outcome instanceof Outcome.Unavailable unavailable) {
            telemetry.storeUnavailable();
            store.failed(nanoTime(), unavailable.cause());
            holder.stands(Doing.STORE_OUT, nanoTime(), unavailable.cause());
            shard.storeFailed();
            shard.comesAgain(holder);
        } else if (outcome instanceof Outcome.Crowded) {
            holder.hasNoRoom(nanoTime());
            shard.crowded();
            shard.comesAgain(holder);
        } else if (outcome instanceof Outcome.Superseded) {
            holder.stands(Doing.SUPERSEDED, nanoTime(), null);
            envelope.messages().stream()
                    .map(Message::epoch)
                    .filter(epoch -> epoch.isLive())
                    .distinct()
                    .forEach(epoch -> inbox.post(new AckInbox.OtherLife(epoch)));
            shard.storeFailed();
            shard.comesAgain(holder);
        } else {
            holder.stands(Doing.QUEUED, nanoTime(), null);
            shard.comesAgain(holder);
        }
    }

    private void keepWaiting(Shard shard, KeyActor holder, Envelope envelope, Waiting waiting) {
        if (waiting.why() == Doing.NO_ROOM) {
            holder.hasNoRoom(nanoTime());
            shard.waits(holder, backoff(ROOM_WAIT, ROOM_WAIT, 1));
            return;
        }
        if (waiting.cause() instanceof OverRateException over) {
            shard.storeServed();
            shard.isHeldBack(holder, Doing.CALLS_OVER_RATE, over.askAgainAfter());
            return;
        }
        int times = holder.waitsFor(waiting.why(), nanoTime(), waiting.cause());
        if (waiting.why() == Doing.LOCKED) {
            holder.locked();
            shard.waits(holder, backoff(LOCK_BACKOFF, LOCK_BACKOFF_MAX, holder.lockedTimes()));
        } else {
            shard.storeServed();
            if (isWithinItsTime(holder, envelope.messages().get(waiting.done().size()), waiting)) {
                shard.waits(holder, backoff(WAIT_BACKOFF, WAIT_BACKOFF_MAX, times));
            }
        }
    }

    /**
     * No attempt is counted. Waits that may never end by themselves have a limit; then the key
     * stops.
     */
    private boolean isWithinItsTime(KeyActor holder, Message message, Waiting waiting) {
        Throwable cause = Objects.requireNonNull(waiting.cause());
        Duration atMost =
                switch (waiting.why()) {
                    case UNCLEAR -> policy.patience().unclearDecoder();
                    case OTHER_VERSION -> policy.patience().otherVersion();
                    default -> FOREVER;
                };
        if (nanoTime() - holder.waitingSince() > atMost.toNanos()) {
            holder.stop();
            holder.stands(Doing.STOPPED, nanoTime(), cause);
            inbox.post(new AckInbox.Impatient(message, atMost, cause));
            return false;
        }
        if (waiting.why() == Doing.OTHER_VERSION) {
            unread.waits(holder.key(), cause, atMost, nanoTime());
        }
        return true;
    }

    private Duration backoff(Duration first, Duration most, int times) {
        return FailurePolicy.backoff(first, most, times, environment.random());
    }

    private void attemptFailed(Shard shard, KeyActor holder, Message message, Failed failed) {
        telemetry.attemptFailed();
        holder.failed();
        holder.stands(Doing.RETRYING, nanoTime(), failed.cause());
        if (failed.cause() instanceof MustStopException) {
            stop(holder, message, failed);
            return;
        }
        boolean mayRetry = failed.retryable() && policy.mayRetry(failed.cause());
        if (mayRetry && holder.failedAttempts() < policy.maxAttempts()) {
            shard.waits(holder, policy.backoff(holder.failedAttempts(), environment.random()));
            return;
        }
        if (policy.last() != FailurePolicy.Last.STOP && !holder.isGivenUp()) {
            holder.giveUp(failed.cause());
            shard.comesAgain(holder);
        } else { // also if setting it aside has failed
            stop(holder, message, failed);
        }
    }

    private void stop(KeyActor holder, Message message, Failed failed) {
        holder.stop();
        holder.stands(Doing.STOPPED, nanoTime(), failed.cause());
        inbox.post(
                new AckInbox.Failed(
                        message, holder.failedAttempts(), failed.cause(), policy.last()));
    }

    /** How many messages have become durable, since the start. */
    long messagesHandled() {
        return handled.sum();
    }

    /** In how many envelopes these were. */
    long envelopesHandled() {
        return envelopes.sum();
    }

    /** Any thread: whether all attempts to save have failed for a while. */
    boolean isStoreOut() {
        return store.isOut(nanoTime());
    }

    private long nanoTime() {
        return environment.ticker().nanoTime();
    }
}
