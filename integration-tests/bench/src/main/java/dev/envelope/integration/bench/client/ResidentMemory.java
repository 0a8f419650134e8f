package dev.envelope.integration.bench.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The most memory that this process had from the operating system.
 *
 * <p>Threads: immutable.
 */
final class ResidentMemory {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String PEAK = "VmHWM:";

    private ResidentMemory() {}

    /** In bytes; 0 where the system does not tell. */
    static long peakBytes() throws IOException {
        if (!Files.isReadable(STATUS)) {
            return 0;
        }
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith(PEAK))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .findFirst()
                .orElse(0);
    }
}
