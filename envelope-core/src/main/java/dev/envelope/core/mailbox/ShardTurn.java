package dev.envelope.core.mailbox;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.FoldGuard;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.Stage;
import dev.envelope.core.api.Turn;
import java.util.ArrayList;
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

    /** An envelope's place: where it came from and what became of it. */
    private static final class Place {
        private final Shard shard;
        private final @Nullable KeyActor actor;
        private @Nullable Outcome outcome;
        private @Nullable KeyActor handedOver; // to somebody outside of the turn

        Place(Shard shard, @Nullable KeyActor actor) {
            this.shard = shard;
            this.actor = actor;
        }
    }

    private static final long TAKEN = -1;

    private final TurnRunner runner;
    private final List<Shard> shards;
    private final long startedAt;
    private final List<Envelope> envelopes = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private int messages;
    private long bytes;
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
    private @Nullable KeyActor leftBehind;

    ShardTurn(TurnRunner runner, List<Shard> shards, long startedAt) {
        this.runner = runner;
        this.shards = shards;
        this.startedAt = startedAt;
        this.stageSince = startedAt;
        this.watch = new FoldWatch(runner.limits().handlerTimeout());
    }

    // --- filling, by the runner

    boolean hasRoom() {
        TurnLimits limits = runner.limits();
        return messages < limits.turnMessages() && bytes < limits.turnBytes();
    }

    void took(Message message) {
        messages++;
        bytes += message.heldBytes();
    }

    List<Message> newGroup() {
        return new ArrayList<>(4);
    }

    boolean isTooLarge(List<Message> group) {
        TurnLimits limits = runner.limits();
        if (group.size() > limits.envelopeMessages()) {
            return true;
        }
        return bytes > limits.envelopeBytes()
                && group.size() > 1
                && group.stream().mapToLong(Message::heldBytes).sum() > limits.envelopeBytes();
    }

    Envelope envelopeOf(KeyActor actor) {
        TurnLimits limits = runner.limits();
        return actor.enterTurn(limits.envelopeMessages(), limits.envelopeBytes());
    }

    void add(Shard shard, @Nullable KeyActor actor, Envelope envelope) {
        if (actor != null) {
            envelope.messages().forEach(this::took);
        }
        envelopes.add(envelope);
        places.add(new Place(shard, actor));
    }

    List<Shard> shards() {
        return shards;
    }

    long startedAt() {
        return startedAt;
    }

    int messages() {
        return messages;
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
        long now = runner.nanoTime();
        runner.telemetry().stageEnded(stage, now - stageSince);
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
        return isFilled ? messages : 0;
    }

    /** Any thread: what is done with a key's envelope, if it has one. */
    public Optional<Standing> standing(String key) {
        if (!isFilled || isTaken()) {
            return Optional.empty();
        }
        for (int i = 0; i < envelopes.size(); i++) {
            Envelope envelope = envelopes.get(i);
            if (envelope.key().equals(key)) {
                return Optional.of(standing(envelope, places.get(i).actor));
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
        return envelopes;
    }

    @Override
    public boolean enter(int envelope) {
        long now = runner.nanoTime();
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
        return isTimeUp(runner.nanoTime());
    }

    private boolean isTimeUp(long now) {
        return hasFolded && now - firstFoldAt > runner.limits().turnTime().toNanos();
    }

    @Override
    public void settle(int envelope, Outcome outcome) {
        Place place = places.get(envelope);
        if (place.outcome != null || place.handedOver != null || hands.get() == TAKEN) {
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
        Place place = places.get(envelope);
        if (place.outcome != null || place.handedOver != null || hands.get() == TAKEN) {
            throw new InvariantViolation("handed over twice, or after it was settled");
        }
        KeyActor actor =
                place.actor != null ? place.actor : new KeyActor(envelopes.get(envelope).key());
        place.handedOver = actor;
        return brought -> place.shard.post(new Mailbox.FoldReturned(this, actor, brought));
    }

    // --- ending it

    /** The worker is back from the handler: what was settled is booked, the shards are let go. */
    void end() {
        long inside = hands.get();
        if (inside == TAKEN) {
            Shard shard = places.get(folding).shard;
            shard.post(new Mailbox.FoldReturned(this, leftBehindActor(), broughtTooLate));
        } else if ((inside & 1) == 1) {
            throw new InvariantViolation("the handler returned without leaving a fold");
        } else {
            book(-1);
        }
    }

    /** Whether the watchdog took it: its worker has only a fold to finish. */
    public boolean isTaken() {
        return hands.get() == TAKEN;
    }

    private KeyActor leftBehindActor() {
        if (leftBehind == null) {
            throw new InvariantViolation("a turn was taken without a fold to leave behind");
        }
        return leftBehind;
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
        if (!isInside || now - foldingSince <= 2 * runner.limits().turnTime().toNanos()) {
            return false;
        }
        int slow = folding;
        Place place = places.get(slow);
        // Made before the turn changes hands, so that the worker finds it when it comes back.
        KeyActor actor =
                place.actor != null ? place.actor : new KeyActor(envelopes.get(slow).key());
        leftBehind = actor;
        if (!hands.compareAndSet(inside, TAKEN)) {
            leftBehind = null;
            return false;
        }
        book(slow);
        return true;
    }

    /** Books every envelope but the one that is left behind in its fold, and lets the shards go. */
    private void book(int slow) {
        Acks acks = new Acks();
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            Envelope envelope = envelopes.get(i);
            if (i == slow) {
                place.shard.leaveBehind(
                        leftBehindActor(), place.actor == null, envelope, this, Doing.SLOW);
            } else if (place.handedOver != null) {
                place.handedOver.locked();
                place.shard.leaveBehind(
                        place.handedOver, place.actor == null, envelope, this, Doing.LOCKED);
            } else {
                Outcome outcome =
                        place.outcome == null ? Outcome.Deferred.NOT_BEGUN : place.outcome;
                runner.book(place.shard, place.actor, envelope, outcome, acks);
            }
        }
        acks.postTo(runner.inbox());
        for (Shard shard : shards) {
            shard.release();
        }
    }
}
