package dev.envelope.app.start;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import java.util.List;

/**
 * A check of the database, which may be unavailable, and may refuse.
 *
 * <p>Threads: one check at a time.
 */
@FunctionalInterface
public interface DatabaseCheck extends ServerCheck {

    /** Checks it once. */
    Verdict ask();

    @Override
    default String name() {
        return "the database";
    }

    @Override
    default Verdict look() {
        try {
            return ask();
        } catch (RefusedException e) {
            return new Verdict.Refused(List.of(String.valueOf(e.getMessage())));
        } catch (UnavailableException e) {
            return new Verdict.Waiting(String.valueOf(e.getMessage()));
        }
    }
}
