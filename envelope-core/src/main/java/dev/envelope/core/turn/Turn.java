package dev.envelope.core.turn;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Stage;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The envelopes for one call of the handler, of different keys and each named by its index in the
 * list, with a limit of time.
 *
 * <p>A fold that exceeds the limit keeps its worker, but not the turn: a watchdog takes the other
 * envelopes back and gives them to other workers. So the handler calls {@link #enter} and {@link
 * #leave} around code that may be slow, and touches nothing any more after {@link #leave} has
 * returned false.
 */
public interface Turn {

    /** The envelopes, one per key. */
    List<Envelope> envelopes();

    /** Sets the stage that status reports show for the envelopes. */
    default void begins(Stage stage) {}

    /**
     * To be called before user code runs for an envelope.
     *
     * @return false when the turn's time is up: save what is folded, the rest comes again
     */
    boolean enter(int envelope);

    /**
     * To be called when user code for the envelope has returned.
     *
     * @param folded its result, to be handed back as {@link Envelope#carried()} if the turn was
     *     taken away meanwhile; null if there is nothing to keep
     * @return false when the turn was taken away: return at once, without settling anything
     */
    boolean leave(int envelope, @Nullable Object folded);

    /** The guard to be called around user code for each message. */
    default FoldGuard guard() {
        return FoldGuard.NONE;
    }

    /** Whether its time is up: what is folded by now is to be saved. */
    boolean isTimeUp();

    /**
     * Hands an envelope over, instead of settling it, to code that goes on with it outside of the
     * turn: its key waits for the result, while others flow.
     *
     * @return takes the result, to be handed back as {@link Envelope#carried()}, or null if the
     *     envelope is to come again as it is; to be called once, by any thread
     */
    Consumer<@Nullable Object> handOver(int envelope);

    /** Reports what became of an envelope. To be called once per envelope. */
    void settle(int envelope, Outcome outcome);
}
