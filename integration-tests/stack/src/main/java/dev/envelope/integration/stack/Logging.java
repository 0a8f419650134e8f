package dev.envelope.integration.stack;

/**
 * How the processes of the tests log.
 *
 * <p>Threads: immutable.
 */
public final class Logging {

    public static final String FILE = "dev/envelope/integration/stack/logback.xml";

    private Logging() {}

    /** For a main class, before its first logger: the same as in the processes that it starts. */
    public static void configure() {
        System.setProperty("logback.configurationFile", FILE);
    }
}
