package dev.envelope.app.handlers.expression;

import java.util.Collection;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fields that other expressions have written into states, and that an operator gives up. The next
 * save of each key drops them.
 *
 * <p>Threads: thread-safe (one volatile reference).
 */
public final class GivenUpFields {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private volatile Set<String> names = Set.of();

    /** Gives up these fields, and no others. */
    public void are(Collection<String> fields) {
        names = Set.copyOf(fields);
        if (!names.isEmpty()) {
            log.warn(
                    "handler.drop: the fields {} of states that other expressions have written"
                            + " are given up; the next save of each key drops them",
                    names);
        }
    }

    boolean has(String field) {
        return names.contains(field);
    }
}
