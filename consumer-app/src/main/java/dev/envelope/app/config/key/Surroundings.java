package dev.envelope.app.config.key;

import java.nio.file.Path;
import java.util.Map;

/**
 * What the settings depend on of the machine and the process.
 *
 * @param maxHeapBytes the maximum size of the heap
 */
public record Surroundings(
        Map<String, String> environment, int processors, long maxHeapBytes, Path workingDirectory) {

    /** Copies the environment. */
    public Surroundings {
        environment = Map.copyOf(environment);
    }

    /** Those of this process. */
    public static Surroundings ofThisProcess() {
        return ofThisProcess(System.getenv());
    }

    /** The same with this environment instead of its own. */
    public static Surroundings ofThisProcess(Map<String, String> environment) {
        Runtime runtime = Runtime.getRuntime();
        return new Surroundings(
                environment,
                runtime.availableProcessors(),
                runtime.maxMemory(),
                Path.of("").toAbsolutePath());
    }
}
