package dev.envelope.core.turn;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Stage;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A turn that forwards every call to another: for handlers that wrap another handler and observe
 * its calls.
 */
public abstract class ForwardingTurn implements Turn {

    private final Turn turn;

    protected ForwardingTurn(Turn turn) {
        this.turn = turn;
    }

    @Override
    public List<Envelope> envelopes() {
        return turn.envelopes();
    }

    @Override
    public void begins(Stage stage) {
        turn.begins(stage);
    }

    @Override
    public boolean enter(int envelope) {
        return turn.enter(envelope);
    }

    @Override
    public boolean leave(int envelope, @Nullable Object folded) {
        return turn.leave(envelope, folded);
    }

    @Override
    public FoldGuard guard() {
        return turn.guard();
    }

    @Override
    public boolean isTimeUp() {
        return turn.isTimeUp();
    }

    @Override
    public Consumer<@Nullable Object> handOver(int envelope) {
        return turn.handOver(envelope);
    }

    @Override
    public void settle(int envelope, Outcome outcome) {
        turn.settle(envelope, outcome);
    }
}
