package dev.envelope.integration.bench.peers.race;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a contestant is to do, in the order of its command line.
 *
 * <p>Threads: immutable.
 *
 * @param isKeyed whether the records of a key are handled one after the other
 * @param atOnce how many calls may be under way
 * @param blockMillis how long each takes
 * @param records when it has done so many, it ends
 * @param seconds after so many it ends, too; the second half of the time counts
 * @param done a file with a byte for each record, which counts how often it was done; empty for
 *     none
 */
record Race(
        String racer,
        String brokers,
        String topic,
        String group,
        boolean isKeyed,
        int atOnce,
        int blockMillis,
        int records,
        int seconds,
        String done) {

    static Race read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return new Race(
                lines.get(0),
                lines.get(1),
                lines.get(2),
                lines.get(3),
                Boolean.parseBoolean(lines.get(4)),
                Integer.parseInt(lines.get(5)),
                Integer.parseInt(lines.get(6)),
                Integer.parseInt(lines.get(7)),
                Integer.parseInt(lines.get(8)),
                lines.get(9));
    }

    void write(Path file) throws IOException {
        Files.write(
                file,
                List.of(
                        racer,
                        brokers,
                        topic,
                        group,
                        Boolean.toString(isKeyed),
                        Integer.toString(atOnce),
                        Integer.toString(blockMillis),
                        Integer.toString(records),
                        Integer.toString(seconds),
                        done));
    }
}
