package dev.envelope.app.start;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import java.util.List;

/**
 * Looks at the database, which may be away, and may refuse.
 *
 * <p>Threads: one look at a time.
 */
@FunctionalInterface
public interface DatabaseCheck extends ServerCheck {

    /** Asks it once. */
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
