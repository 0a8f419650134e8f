package dev.envelope.core.mailbox;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.turn.EnvelopeHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs turns: drain → group → hand to the handler → book what became of each envelope → ack.
 *
 * <p>A turn takes no more than handlers can fold in its time, as far as the last turns tell: what
 * it puts off would have to be kept, and to enter turn after turn.
 *
 * <p>Threads: thread-safe (atomics); a turn belongs to the worker that runs it.
 */
public final class TurnRunner {

    /** How many messages a turn takes however slow the handler is. */
    private static final int LEAST_ROOM = 16;

    /**
     * While there is no room for results, a turn takes nothing up; but after this time it does, so
     * that its keys can say what they wait for.
     */
    private static final long UNSAID = Duration.ofSeconds(1).toNanos();

    private final EnvelopeHandler handler;
    private final TurnLimits limits;
    private final Booking booking;
    private final Ticker ticker;
    private final Telemetry telemetry;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicInteger room; // for messages in a turn; a lost update costs a little speed
    private final AtomicLong hadRoomAt; // for results

    public TurnRunner(
            EnvelopeHandler handler,
            AckInbox inbox,
            TurnLimits limits,
            FailurePolicy policy,
            Environment environment,
            Telemetry telemetry) {
        this.handler = handler;
        this.limits = limits;
        this.room = new AtomicInteger(limits.turnMessages());
        this.booking = new Booking(inbox, policy, environment, telemetry);
        this.ticker = environment.ticker();
        this.hadRoomAt = new AtomicLong(ticker.nanoTime());
        this.telemetry = telemetry;
    }

    /** Creates a turn of these shards, which the caller owns from now on. */
    public ShardTurn begin(List<Shard> shards) {
        long number = begun.incrementAndGet();
        List<Shard> inTurn = new ArrayList<>(shards);
        Collections.rotate(inTurn, (int) (number % shards.size())); // no one is always the first
        for (Shard shard : inTurn) {
            shard.takeToRun();
        }
        return new ShardTurn(number, inTurn, limits, room.get(), booking, ticker, telemetry);
    }

    /** Runs a whole turn. An exception from the handler is a bug, not a failed message. */
    public void run(ShardTurn turn) {
        if (!mayTakeUp()) {
            turn.holdBack(); // what was taken up would have to be kept, and to enter again
        }
        turn.drain(); // empties the mailboxes, and groups by key
        if (!turn.envelopes().isEmpty()) {
            handler.handle(turn);
            turn.stageEnds();
            if (turn.isTaken()) { // one fold took longer than all may: what was behind it was put
                // off
                learn(turn.messages(), turn.messages());
            } else {
                learn(turn.messages(), turn.putOff());
            }
            telemetry.worked(turn.envelopes());
        }
        turn.end(); // books each envelope, acks, releases the shards
        telemetry.turnEnded(turn.shards(), turn.envelopes().size(), turn.messages(), turn.lasted());
    }

    private boolean mayTakeUp() {
        long now = ticker.nanoTime();
        if (handler.hasRoom()) {
            hadRoomAt.set(now);
            return true;
        }
        return now - hadRoomAt.get() > UNSAID;
    }

    /** After a turn with this many messages, of which so many were put off. */
    private void learn(int messages, int putOff) {
        int now = room.get();
        if (putOff > 0) {
            room.set(
                    Math.min(Math.max(LEAST_ROOM, 2 * (messages - putOff)), limits.turnMessages()));
        } else if (messages >= now / 2 && now < limits.turnMessages()) {
            room.set((int) Math.min(2L * now, limits.turnMessages()));
        }
    }

    /** How many messages have become durable, since the start. */
    public long messagesHandled() {
        return booking.messagesHandled();
    }

    /** In how many envelopes these were. */
    public long envelopesHandled() {
        return booking.envelopesHandled();
    }

    /** Any thread: whether all attempts to save have failed for a while. */
    public boolean isStoreOut() {
        return booking.isStoreOut();
    }
}
