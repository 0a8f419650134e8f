package dev.envelope.app.start;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.StateCodec;
import java.util.List;
import java.util.function.Supplier;

/**
 * Checks that the handler can read stored states. A start does without this check: other processes
 * may be able to read them, and the keys wait for those.
 *
 * @param states a sample of those that are stored
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
        } catch (RuntimeException e) { // a user's codec may throw any
            return new Verdict.Refused(
                    List.of("keys would wait (on.other.version): " + Words.describeInFull(e)));
        }
    }
}
