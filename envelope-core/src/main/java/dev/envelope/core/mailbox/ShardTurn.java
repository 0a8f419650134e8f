package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One turn under way: shards, the envelopes drained from them, and what became of each.
 *
 * <p>Threads: actor, one at a time. It belongs to the worker that runs it until the watchdog takes
 * it away, which it can do only while the worker is inside a fold: {@link UserCode} decides which
 * of them is first.
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

    /**
     * The worker's steps into and out of folds; when the turn is taken away, its step is seized as
     * {@link #TAKEN}.
     */
    private final UserCode folds = new UserCode();

    private final FoldWatch watch;

    private volatile @Nullable Stage stage; // null until other threads may read the envelopes
    private volatile long stageSince;
    private volatile int folding; // this and the next are written before the step
    private volatile long foldingSince;
    private long firstFoldAt; // the limit is on folding: a slow load must not shrink the turn
    private @Nullable Object broughtTooLate;

    /**
     * @param room how many messages it should have
     */
    ShardTurn(
            long number,
            List<Shard> shards,
            TurnLimits limits,
            int room,
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
        this.drained = new Drained(shards.size(), limits, room);
        this.watch = new FoldWatch(limits.handlerTimeout());
    }

    // --- by the runner

    /** There is no room for results: its shards take nothing up for a moment. */
    void holdBack() {
        shards.forEach(Shard::crowded);
    }

    void drain() {
        for (Shard shard : shards) {
            shard.drainInto(drained, startedAt);
            drained.shardEnds();
        }
        if (!drained.envelopes().isEmpty()) {
            stage = Stage.LOAD;
        }
    }

    int shards() {
        return shards.size();
    }

    /** Where the rows of its keys are. */
    public int place() {
        return shards.get(0).place();
    }

    int messages() {
        return drained.messages();
    }

    /** How many of its messages were put off, since its time was up. */
    public int putOff() {
        return drained.putOff();
    }

    long lasted() {
        return ticker.nanoTime() - startedAt;
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
        telemetry.stageEnded(Objects.requireNonNull(stage), now - stageSince);
        stageSince = now;
    }

    /** Any thread: its stage; empty before it has its envelopes, and once it is taken. */
    public Optional<Stage> stage() {
        return isTaken() ? Optional.empty() : Optional.ofNullable(stage);
    }

    /** Any thread: how many messages it has. */
    public int size() {
        return stage == null ? 0 : drained.messages();
    }

    /** Any thread: the standing of a key, if the turn has an envelope of it. */
    public Optional<Standing> standing(String key) {
        Stage now = stage;
        if (now == null || isTaken()) {
            return Optional.empty();
        }
        List<Envelope> envelopes = drained.envelopes();
        for (int i = 0; i < envelopes.size(); i++) {
            Envelope envelope = envelopes.get(i);
            if (envelope.key().equals(key)) {
                return Optional.of(standing(now, envelope, drained.place(i).actor));
            }
        }
        return Optional.empty();
    }

    private Standing standing(Stage now, Envelope envelope, @Nullable KeyActor actor) {
        Doing doing =
                switch (now) {
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
        if (!folds.hasEntered()) {
            firstFoldAt = now;
        } else if (isTimeUp(now)) {
            return false;
        }
        folding = envelope;
        foldingSince = now;
        folds.enter();
        return true;
    }

    @Override
    public boolean leave(int envelope, @Nullable Object folded) {
        if (folds.leave()) {
            return true;
        }
        broughtTooLate = folded;
        return false;
    }

    @Override
    public FoldGuard guard() {
        return watch;
    }

    /** The watch over user code at the present message. */
    public FoldWatch watch() {
        return watch;
    }

    @Override
    public boolean isTimeUp() {
        return isTimeUp(ticker.nanoTime());
    }

    private boolean isTimeUp(long now) {
        return folds.hasEntered() && now - firstFoldAt > limits.turnTime().toNanos();
    }

    @Override
    public void settle(int envelope, Outcome outcome) {
        Drained.Place place = drained.place(envelope);
        if (place.outcome != null || place.isHandedOver || isTaken()) {
            throw new InvariantViolation(
                    "settled twice, or after the turn was taken: "
                            + place.outcome
                            + ", "
                            + outcome);
        }
        drained.settled(envelope, outcome);
    }

    @Override
    public Consumer<@Nullable Object> handOver(int envelope) {
        Drained.Place place = drained.place(envelope);
        if (place.outcome != null || place.isHandedOver || isTaken()) {
            throw new InvariantViolation("handed over twice, or after it was settled");
        }
        place.isHandedOver = true;
        return brought -> returned(envelope, brought);
    }

    // --- ending it

    /** The handler has returned: books what was settled, and releases the shards. */
    void end() {
        long at = folds.step();
        if (at == TAKEN) {
            returned(folding, broughtTooLate);
        } else if (UserCode.isInside(at)) {
            throw new InvariantViolation("the handler returned without leaving a fold");
        } else {
            booking.book(number, shards, drained, NONE);
        }
    }

    /** Work that went on outside of the turn has returned this result. */
    private void returned(int envelope, @Nullable Object brought) {
        Shard shard = shards.get(drained.shardOf(envelope));
        shard.foldReturned(number, drained.envelopes().get(envelope).key(), brought);
    }

    /** Whether the watchdog took it away; its worker then only finishes a fold. */
    public boolean isTaken() {
        return folds.step() == TAKEN;
    }

    /**
     * Watchdog: takes the turn away if one fold takes too long.
     *
     * @return whether it did
     */
    public boolean takeIfStuck(long now) {
        long at = folds.step();
        // Twice the bound: a fold of many messages ends by itself when the time is up.
        if (!UserCode.isInside(at) || now - foldingSince <= 2 * limits.turnTime().toNanos()) {
            return false;
        }
        int slow = folding;
        if (!folds.seize(at, TAKEN)) {
            return false;
        }
        booking.book(number, shards, drained, slow);
        return true;
    }
}
