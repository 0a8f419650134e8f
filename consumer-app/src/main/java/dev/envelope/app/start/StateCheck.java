package dev.envelope.app.start;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.StateCodec;
import java.util.List;
import java.util.function.Supplier;

/**
 * Whether the handler can read states that are in the rows. A start goes on all the same: other
 * processes may be able to, and the keys wait for them.
 *
 * @param states some of those that are stored
 */
public record StateCheck(Supplier<List<byte[]>> states, StateCodec<?> codec)
        implements DatabaseCheck {

    @Override
    public Verdict ask() {
        try {
            states.get().forEach(codec::decode);
            return new Verdict.Ready();
        } catch (UnavailableException e) {
            throw e;
        } catch (RuntimeException e) { // of a codec of somebody's own, whatever it is
            return new Verdict.Refused(
                    List.of("keys would wait (on.other.version): " + Words.describeInFull(e)));
        }
    }
}
