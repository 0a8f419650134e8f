package dev.envelope.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts that start the program, before there is a program. */
class LaunchersTest {

    @TempDir Path folder;

    @Test
    void theScriptOfACheckoutNamesTheJavaThatIsNotThere() throws Exception {
        assertNamesTheJava(Path.of("../scripts/envelope"));
    }

    @Test
    void theScriptOfTheArchiveNamesTheJavaThatIsNotThere() throws Exception {
        Files.createDirectories(folder.resolve("lib"));
        Path script = Files.createDirectories(folder.resolve("bin")).resolve("envelope");
        Files.copy(Path.of("src/archive/bin/envelope"), script);

        assertNamesTheJava(script);
    }

    private void assertNamesTheJava(Path script) throws IOException, InterruptedException {
        Path words = folder.resolve("words");
        ProcessBuilder builder =
                new ProcessBuilder("bash", script.toString(), "version")
                        .redirectErrorStream(true)
                        .redirectOutput(words.toFile());
        builder.environment().put("JAVA_HOME", "/nowhere/jdk");
        Process process = builder.start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("it ends").isTrue();

        assertThat(process.exitValue()).isEqualTo(70);
        assertThat(Files.readString(words, StandardCharsets.UTF_8))
                .startsWith("envelope: there is no /nowhere/jdk/bin/java: correct JAVA_HOME");
    }
}
