package dev.envelope.integration.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Secrets that the processes are given and that nothing may ever show.
 *
 * <p>Threads: immutable.
 */
record Canaries(String storePassword, String brokerPassword) {

    static Canaries of(long seed) {
        Random random = new Random(seed);
        return new Canaries(
                "canary-store-" + Long.toHexString(random.nextLong()),
                "canary-sasl-" + Long.toHexString(random.nextLong()));
    }

    /** A login of the Kafka clients, as it stands in a JAAS line. */
    Map<String, String> clientProperties() {
        return Map.of(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                        + " username=\"soak\" password=\""
                        + brokerPassword
                        + "\";");
    }

    /** Where in the folder one of them stands; every file is searched. */
    List<String> sightings(Path folder) {
        List<String> sightings = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                if (text.contains(storePassword) || text.contains(brokerPassword)) {
                    sightings.add(folder.relativize(file).toString());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sightings;
    }

    /** Without the secrets, so that a record of a run can be printed. */
    @Override
    public String toString() {
        return "Canaries";
    }
}
