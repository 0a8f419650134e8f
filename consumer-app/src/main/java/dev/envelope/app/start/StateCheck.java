package dev.envelope.app.start;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.store.RefusedException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Whether the handler can read states that are in the rows. A start goes on all the same: other
 * processes may be able to, and the keys wait for them.
 *
 * <p>Threads: one look at a time.
 */
public final class StateCheck implements ServerCheck {

    private final Supplier<List<byte[]>> states;
    private final StateCodec<?> codec;

    /**
     * @param states some of those that are stored
     */
    public StateCheck(Supplier<List<byte[]>> states, StateCodec<?> codec) {
        this.states = states;
        this.codec = codec;
    }

    @Override
    public String name() {
        return "the database";
    }

    @Override
    public Verdict look() {
        try {
            for (byte[] state : states.get()) {
                codec.decode(state);
            }
            return new Verdict.Ready();
        } catch (RefusedException e) {
            return new Verdict.Refused(List.of(String.valueOf(e.getMessage())));
        } catch (UnavailableException e) {
            return new Verdict.Waiting(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) { // of a codec of somebody's own, whatever it is
            return new Verdict.Refused(
                    List.of("keys would wait (on.other.version): " + Words.describeInFull(e)));
        }
    }
}
