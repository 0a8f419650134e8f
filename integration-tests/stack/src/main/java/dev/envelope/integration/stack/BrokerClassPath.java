package dev.envelope.integration.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The jars of the broker, as the module {@code broker-classpath} has resolved them.
 *
 * <p>Threads: immutable.
 */
final class BrokerClassPath {

    /** The system property that names another file with the class path in it. */
    static final String PROPERTY = "envelope.broker.classpath";

    private BrokerClassPath() {}

    static String read() {
        Path file = ModuleFolder.locate(PROPERTY, "broker-classpath/target/broker.classpath");
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "the broker's jars are not resolved: build integration-tests with -am, or set "
                            + PROPERTY,
                    e);
        }
    }
}
