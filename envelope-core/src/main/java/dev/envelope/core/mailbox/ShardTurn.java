package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.Turn;
import dev.envelope.core.mailbox.Standing.Doing;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One turn under way: shards, the envelopes drained from them, and what became of each.
 *
 * <p>Threads: actor, one at a time. It belongs to the worker that runs it until the watchdog takes
 * it away, which it can do only while the worker is inside a fold: {@code hands} says in whose
 * hands it is, and both move it by compare-and-set.
 */
public final class ShardTurn implements Turn {

    private static final int NONE = -1;
    private static final long TAKEN = -1;

    private final long number;
    private final List<Shard> shards;
    private final TurnLimits limits;
    private final Booking booking;
    private final Ticker ticker;
    private final Telemetry telemetry;
    private final long startedAt;
    private final Drained drained;
    private boolean hasFolded;
    private long firstFoldAt; // the bound is on folding: a slow load must not shrink the turn

    /** Even: the worker works; odd: it is inside a fold; {@link #TAKEN}: no longer the worker's. */
    private final AtomicLong hands = new AtomicLong();

    private volatile boolean isFilled; // what others may look at is there
    private volatile Stage stage = Stage.LOAD;
    private volatile long stageSince;

    private final FoldWatch watch;
    private volatile int folding;
    private volatile long foldingSince;
    private @Nullable Object broughtTooLate;

    ShardTurn(
            long number,
            List<Shard> shards,
            TurnLimits limits,
            Booking booking,
            Ticker ticker,
            Telemetry telemetry) {
        this.number = number;
        this.shards = shards;
        this.limits = limits;
        this.booking = booking;
        this.ticker = ticker;
        this.telemetry = telemetry;
        this.startedAt = ticker.nanoTime();
        this.stageSince = startedAt;
        this.drained = new Drained(shards.size(), limits);
        this.watch = new FoldWatch(limits.handlerTimeout());
    }

    // --- by the runner

    void drain() {
        for (Shard shard : shards) {
            shard.drainInto(drained, startedAt);
            drained.shardEnds();
        }
    }

    int shards() {
        return shards.size();
    }

    int messages() {
        return drained.messages();
    }

    long lasted() {
        return ticker.nanoTime() - startedAt;
    }

    /** Everything is in it that it will have. */
    void filled() {
        isFilled = true;
    }

    // --- the handler's side

    @Override
    public void begins(Stage next) {
        stageEnds();
        stage = next;
    }

    /** The handler begins its next stage, or has returned. */
    void stageEnds() {
        long now = ticker.nanoTime();
        telemetry.stageEnded(stage, now - stageSince);
        stageSince = now;
    }

    /**
     * Any thread: at which stage it is; empty before it has its envelopes, and once it is taken.
     */
    public Optional<Stage> stage() {
        return isFilled && !isTaken() ? Optional.of(stage) : Optional.empty();
    }

    /** Any thread: how many messages it has. */
    public int size() {
        return isFilled ? drained.messages() : 0;
    }

    /** Any thread: what is done with a key's envelope, if it has one. */
    public Optional<Standing> standing(String key) {
        if (!isFilled || isTaken()) {
            return Optional.empty();
        }
        List<Envelope> envelopes = drained.envelopes();
        for (int i = 0; i < envelopes.size(); i++) {
            Envelope envelope = envelopes.get(i);
            if (envelope.key().equals(key)) {
                return Optional.of(standing(envelope, drained.place(i).actor));
            }
        }
        return Optional.empty();
    }

    private Standing standing(Envelope envelope, @Nullable KeyActor actor) {
        Doing doing =
                switch (stage) {
                    case LOAD -> Doing.LOADING;
                    case FOLD -> Doing.FOLDING;
                    case SAVE -> Doing.SAVING;
                };
        return Optional.ofNullable(actor)
                .flatMap(KeyActor::standing)
                .map(before -> before.at(doing, stageSince))
                .orElseGet(() -> new Standing(doing, stageSince, envelope.size(), 0, ""));
    }

    @Override
    public List<Envelope> envelopes() {
        return drained.envelopes();
    }

    @Override
    public boolean enter(int envelope) {
        long now = ticker.nanoTime();
        if (!hasFolded) {
            hasFolded = true;
            firstFoldAt = now;
        } else if (isTimeUp(now)) {
            return false;
        }
        folding = envelope;
        foldingSince = now;
        hands.lazySet(hands.get() + 1);
        return true;
    }

    @Override
    public boolean leave(int envelope, @Nullable Object folded) {
        long inside = hands.get();
        if (inside != TAKEN && hands.compareAndSet(inside, inside + 1)) {
            return true;
        }
        broughtTooLate = folded;
        return false;
    }

    @Override
    public FoldGuard guard() {
        return watch;
    }

    /** How user code does, at the message that it is at. */
    public FoldWatch watch() {
        return watch;
    }

    @Override
    public boolean isTimeUp() {
        return isTimeUp(ticker.nanoTime());
    }

    private boolean isTimeUp(long now) {
        return hasFolded && now - firstFoldAt > limits.turnTime().toNanos();
    }

    @Override
    public void settle(int envelope, Outcome outcome) {
        Drained.Place place = drained.place(envelope);
        if (place.outcome != null || place.isHandedOver || hands.get() == TAKEN) {
            throw new InvariantViolation(
                    "settled twice, or after the turn was taken: "
                            + place.outcome
                            + ", "
                            + outcome);
        }
        place.outcome = outcome;
    }

    @Override
    public Consumer<@Nullable Object> handOver(int envelope) {
        Drained.Place place = drained.place(envelope);
        if (place.outcome != null || place.isHandedOver || hands.get() == TAKEN) {
            throw new InvariantViolation("handed over twice, or after it was settled");
        }
        place.isHandedOver = true;
        return brought -> returned(envelope, brought);
    }

    // --- ending it

    /** The worker is back from the handler: what was settled is booked, the shards are let go. */
    void end() {
        long inside = hands.get();
        if (inside == TAKEN) {
            returned(folding, broughtTooLate);
        } else if ((inside & 1) == 1) {
            throw new InvariantViolation("the handler returned without leaving a fold");
        } else {
            booking.book(number, shards, drained, NONE);
        }
    }

    /** What has gone on outside of the turn is over, and has brought that. */
    private void returned(int envelope, @Nullable Object brought) {
        Shard shard = shards.get(drained.shardOf(envelope));
        shard.foldReturned(number, drained.envelopes().get(envelope).key(), brought);
    }

    /** Whether the watchdog took it: its worker has only a fold to finish. */
    public boolean isTaken() {
        return hands.get() == TAKEN;
    }

    /**
     * Watchdog: takes the turn away if one fold outlasts it.
     *
     * @return whether it did
     */
    public boolean takeIfStuck(long now) {
        long inside = hands.get();
        boolean isInside = inside != TAKEN && (inside & 1) == 1;
        // Twice the bound: a fold of many messages ends by itself when the time is up.
        if (!isInside || now - foldingSince <= 2 * limits.turnTime().toNanos()) {
            return false;
        }
        int slow = folding;
        if (!hands.compareAndSet(inside, TAKEN)) {
            return false;
        }
        booking.book(number, shards, drained, slow);
        return true;
    }
}
