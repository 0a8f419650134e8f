package dev.envelope.integration.demo.show;

import dev.envelope.integration.demo.group.Instance;
import java.util.List;
import java.util.Optional;

/**
 * What a demo shows: who plays along on a stack of servers, and what is told of it.
 *
 * <p>Threads: one shows it; the page asks from others.
 */
public interface Play extends DemoServer.Shown {

    /** Whether something was saved. Fails if an instance has ended. */
    boolean hasRows();

    /** Once there are rows: two instances that start at a time would be slower than one. */
    void begin();

    List<Instance> instances();

    /** Where the results are: a command that shows the rows, if there are any. */
    String psql();

    /** Some rows, as text. */
    String rows();

    /** What has happened since it was called last, as a line. */
    String look();

    /** What was proved last. */
    Optional<String> proof();

    /** Whether that is as it should be; false if nothing was proved. */
    boolean isProved();

    /** Proves it now. Fails if that is not possible yet. */
    void prove();

    /** Stops all; returns the exit codes of the instances. */
    List<Integer> stop();
}
