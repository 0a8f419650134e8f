package dev.envelope.integration.bench.client;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * When each partition was saved, as lines of a file: partition, blank, microseconds.
 *
 * <p>Threads: guarded by this.
 */
final class Saves {

    /** Closer together they are one: nobody asks for gaps as short as that. */
    private static final long MERGED_MICROS = 500;

    private static final int PARTITIONS = 64;

    private record Save(int partition, long micros) {}

    private final List<Save> all = new ArrayList<>();
    private final long[] last = new long[PARTITIONS];

    synchronized void saved(int partition, long nowMicros) {
        if (nowMicros - last[partition] >= MERGED_MICROS) {
            last[partition] = nowMicros;
            all.add(new Save(partition, nowMicros));
        }
    }

    synchronized void write(Path file) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            for (Save save : all) {
                writer.write(save.partition + " " + save.micros);
                writer.newLine();
            }
        }
    }
}
