package dev.envelope.integration.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CanariesTest {

    private final Canaries canaries = Canaries.of(1);

    @TempDir private Path folder;

    @Test
    void aSecretIsSeenWhereverItStands() throws IOException {
        Path logs = Files.createDirectories(folder.resolve("logs"));
        Files.writeString(logs.resolve("one.log"), "login with " + canaries.storePassword());
        Files.writeString(logs.resolve("two.log"), canaries.clientProperties().toString());
        Files.writeString(folder.resolve("report.html"), canaries.toString());

        assertThat(canaries.sightings(folder))
                .containsExactlyInAnyOrder("logs/one.log", "logs/two.log");
    }

    @Test
    void whereThereIsNoneNothingIsSeen() throws IOException {
        Files.write(folder.resolve("log"), new byte[] {(byte) 0xff, 'c', 'a', 'n', 'a', 'r', 'y'});

        assertThat(canaries.sightings(folder)).isEmpty();
    }
}
