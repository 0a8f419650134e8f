package dev.envelope.app.process;

import java.util.Optional;

/**
 * The name of this process among others of its application.
 *
 * <p>Threads: immutable.
 */
public final class Instance {

    private Instance() {}

    /** The machine's name, as far as the environment tells it, and the process's number. */
    public static String name() {
        String host = Optional.ofNullable(System.getenv("HOSTNAME")).orElse("localhost");
        return host + "-" + ProcessHandle.current().pid();
    }
}
