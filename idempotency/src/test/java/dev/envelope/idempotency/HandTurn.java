package dev.envelope.idempotency;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A turn whose time is up, or which is taken away, when the test says so.
 *
 * <p>Threads: one thread.
 */
public final class HandTurn implements Turn {

    private final List<Envelope> envelopes;
    private final Map<Integer, Outcome> outcomes = new HashMap<>();
    private int foldsAllowed = Integer.MAX_VALUE;
    private boolean timeUp;
    private boolean taken;
    private boolean isTakenAtNextLeave;
    private boolean inside;
    private final Set<Long> tooSlow = new HashSet<>();
    private final Set<Long> slowToDecode = new HashSet<>();
    private @Nullable Message userCodeAt;
    private @Nullable Object brought;
    private boolean broughtBack;
    private final Set<Integer> handedOver = new HashSet<>();

    public HandTurn(Envelope... envelopes) {
        this.envelopes = List.of(envelopes);
    }

    /** After so many folds the time is up. */
    public HandTurn withTimeFor(int folds) {
        foldsAllowed = folds;
        return this;
    }

    /** The time is up as soon as something has been folded. */
    public HandTurn withTimeUp() {
        timeUp = true;
        return this;
    }

    /** The watchdog takes it away in the next fold. */
    HandTurn takenInTheNextFold() {
        isTakenAtNextLeave = true;
        return this;
    }

    /** User code takes longer than it may for the messages at these offsets. */
    public HandTurn tooSlowAt(Long... offsets) {
        tooSlow.addAll(List.of(offsets));
        return this;
    }

    /** The first of what user code does with the messages at these offsets takes too long. */
    HandTurn slowToDecodeAt(Long... offsets) {
        slowToDecode.addAll(List.of(offsets));
        return this;
    }

    /** The message that user code is at. */
    public @Nullable Message userCodeAt() {
        return userCodeAt;
    }

    /** What became of an envelope; null if it was not settled. */
    public @Nullable Outcome outcome(int place) {
        return outcomes.get(place);
    }

    int settled() {
        return outcomes.size();
    }

    /** What a fold that was left behind has brought. */
    @Nullable Object brought() {
        return brought;
    }

    boolean isInside() {
        return inside;
    }

    @Override
    public List<Envelope> envelopes() {
        return envelopes;
    }

    @Override
    public boolean enter(int envelope) {
        if (inside || taken) {
            throw new InvariantViolation("entered twice, or after the turn was taken");
        }
        if (foldsAllowed == 0) {
            return false;
        }
        foldsAllowed--;
        inside = true;
        return true;
    }

    @Override
    public boolean leave(int envelope, @Nullable Object folded) {
        if (!inside) {
            throw new InvariantViolation("left without having entered");
        }
        inside = false;
        if (isTakenAtNextLeave) {
            taken = true;
            brought = folded;
        }
        return !taken;
    }

    @Override
    public FoldGuard guard() {
        return new FoldGuard() {
            @Override
            public void enter(Message message, Class<?> handler) {
                if (!inside || userCodeAt != null) {
                    throw new InvariantViolation("user code outside of a fold, or twice at a time");
                }
                userCodeAt = message;
            }

            @Override
            public boolean leave() {
                Message left = Objects.requireNonNull(userCodeAt);
                userCodeAt = null;
                boolean wasSlow = slowToDecode.remove(left.offset());
                return !wasSlow && !tooSlow.contains(left.offset());
            }
        };
    }

    @Override
    public boolean isTimeUp() {
        return timeUp;
    }

    @Override
    public Consumer<@Nullable Object> handOver(int envelope) {
        if (taken || inside || outcomes.containsKey(envelope) || !handedOver.add(envelope)) {
            throw new InvariantViolation("handed over twice, or settled, or inside a fold");
        }
        return what -> {
            broughtBack = true;
            brought = what;
        };
    }

    /** Whether somebody went on with an envelope outside of the turn, and has come back. */
    boolean isBroughtBack() {
        return broughtBack;
    }

    @Override
    public void settle(int envelope, Outcome outcome) {
        if (taken || inside || outcomes.put(envelope, outcome) != null) {
            throw new InvariantViolation("settled twice, or inside a fold, or too late");
        }
    }
}
