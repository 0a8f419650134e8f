package dev.envelope.app.process;

import dev.envelope.app.start.ServerCheck;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.idempotency.store.operator.OperatorStore;
import java.util.List;
import java.util.Optional;

/**
 * What differs between a process that keeps rows and one that does not: its handler, the servers
 * that it needs, and the application that it runs.
 */
public abstract class Mode implements AutoCloseable {

    /** The handler in words, one line. */
    public abstract String handler();

    /** The database in words, one line. */
    abstract String database();

    /** Checked before a start, in stages: each begins when those of the one before are ready. */
    abstract List<List<ServerCheck>> servers();

    /** The same checks without effects, and those that a start need not make. */
    public abstract List<List<ServerCheck>> asking();

    /** What is read, one line, once the servers are ready. */
    abstract String reading();

    /** What is otherwise than the settings say, once the servers are ready; empty if nothing is. */
    Optional<String> remark() {
        return Optional.empty();
    }

    /** What operators see of the database. */
    abstract OperatorStore operators();

    /** Makes the application, once the servers are ready, and shows it to operators. */
    abstract Running open(ConsumerSettings engine, Operations operations);

    /** Closes the handler. */
    @Override
    public abstract void close();
}
