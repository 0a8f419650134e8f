package dev.envelope.app.config.key;

import java.nio.file.Path;
import java.util.Map;

/**
 * What of the machine and the process the settings depend on.
 *
 * <p>Threads: immutable.
 *
 * @param maxHeapBytes what the heap can grow to
 */
public record Surroundings(
        Map<String, String> environment, int processors, long maxHeapBytes, Path workingDirectory) {

    /** Copies the environment. */
    public Surroundings {
        environment = Map.copyOf(environment);
    }

    /** Those of this process. */
    public static Surroundings ofThisProcess() {
        Runtime runtime = Runtime.getRuntime();
        return new Surroundings(
                System.getenv(),
                runtime.availableProcessors(),
                runtime.maxMemory(),
                Path.of("").toAbsolutePath());
    }
}
