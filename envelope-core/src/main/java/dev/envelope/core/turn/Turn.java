package dev.envelope.core.turn;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Stage;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a worker holds for one call of the handler: envelopes of different keys, each named by its
 * place in the list, and a bound in time.
 *
 * <p>A fold that outlasts the bound keeps its worker, but not the turn: a watchdog takes the other
 * envelopes back and gives them to other workers. So the handler says when it enters and leaves
 * code that may be slow, and after {@link #leave} has answered no it touches nothing any more.
 */
public interface Turn {

    /** The envelopes, one per key. */
    List<Envelope> envelopes();

    /** Says what is done with the envelopes from now on, for those who look from outside. */
    default void begins(Stage stage) {}

    /**
     * Asks to run user code for an envelope.
     *
     * @return false when the turn's time is over: save what is folded, the rest comes again
     */
    boolean enter(int envelope);

    /**
     * Says that user code for the envelope has returned.
     *
     * @param folded what it brought, to be handed back as {@link Envelope#carried()} if the turn
     *     was taken away meanwhile; null if there is nothing worth keeping
     * @return false when the turn was taken away: return at once, without settling anything
     */
    boolean leave(int envelope, @Nullable Object folded);

    /** What is to be told when user code is at a message of it. */
    default FoldGuard guard() {
        return FoldGuard.NONE;
    }

    /** Whether its time is over: what is folded by now is to be saved. */
    boolean isTimeUp();

    /**
     * Leaves an envelope to somebody who goes on with it outside of the turn: its key waits for
     * what that brings, while others flow. Instead of settling it.
     *
     * @return takes what was brought, to be handed back as {@link Envelope#carried()}, or null if
     *     the envelope is to come again as it is; to be called once, by any thread
     */
    Consumer<@Nullable Object> handOver(int envelope);

    /** Says what became of an envelope. Once per envelope. */
    void settle(int envelope, Outcome outcome);
}
