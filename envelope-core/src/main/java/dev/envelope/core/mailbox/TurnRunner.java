package dev.envelope.core.mailbox;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.turn.EnvelopeHandler;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs turns: drain → group → hand to the handler → book what became of each envelope → ack.
 *
 * <p>Threads: thread-safe (a counter); a turn belongs to the worker that runs it.
 */
public final class TurnRunner {

    private final EnvelopeHandler handler;
    private final TurnLimits limits;
    private final Booking booking;
    private final Ticker ticker;
    private final Telemetry telemetry;
    private final AtomicLong begun = new AtomicLong();

    public TurnRunner(
            EnvelopeHandler handler,
            AckInbox inbox,
            TurnLimits limits,
            FailurePolicy policy,
            Environment environment,
            Telemetry telemetry) {
        this.handler = handler;
        this.limits = limits;
        this.booking = new Booking(inbox, policy, environment, telemetry);
        this.ticker = environment.ticker();
        this.telemetry = telemetry;
    }

    /** Creates a turn of these shards, which the caller owns from now on. */
    public ShardTurn begin(List<Shard> shards) {
        for (Shard shard : shards) {
            shard.takeToRun();
        }
        return new ShardTurn(begun.incrementAndGet(), shards, limits, booking, ticker, telemetry);
    }

    /** Runs a whole turn. An exception from the handler is a bug, not a failed message. */
    public void run(ShardTurn turn) {
        turn.drain(); // empties the mailboxes, and groups by key
        if (!turn.envelopes().isEmpty()) {
            handler.handle(turn);
            turn.stageEnds();
            telemetry.worked(turn.envelopes());
        }
        turn.end(); // books each envelope, acks, releases the shards
        telemetry.turnEnded(turn.shards(), turn.envelopes().size(), turn.messages(), turn.lasted());
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
