package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked and run as its user would. */
@Tag("cluster")
@ExtendWith(OneStack.class)
class ArchiveTest {

    private static final Pattern RUNNING = Pattern.compile("running +1 partition after (\\d+) ms");

    @TempDir Path folder;

    private record Said(int code, String words) {}

    private Said run(String... command) throws IOException, InterruptedException {
        Path words = folder.resolve("words-" + System.nanoTime());
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(words.toFile());
        builder.environment().remove("ENVELOPE_JAVA_OPTS");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home", ""));
        builder.environment().put("ENVELOPE_BOOTSTRAP_SERVERS", "is no address"); // of a run
        Process process = builder.start();
        assertThat(process.waitFor(240, TimeUnit.SECONDS)).as("it ends").isTrue();
        return new Said(process.exitValue(), Files.readString(words, StandardCharsets.UTF_8));
    }

    private String unpacked() throws IOException, InterruptedException {
        Path archive = Archive.built().orElse(null);
        assumeTrue(archive != null, "mvn package has not been run in this checkout");
        Said tar = run("tar", "-xzf", archive.toString(), "-C", folder.toString(), "--strip", "1");
        assertThat(tar.code()).as(tar.words()).isZero();
        return folder.resolve("bin/envelope").toString();
    }

    @Tag("long")
    @Test
    void isUnpackedPreparedAndRunAndSaysNothingOfTheClassesThatItShares(LocalStack stack)
            throws Exception {
        String envelope = unpacked();
        assertThat(run(envelope, "version").words()).startsWith("envelope ");

        Said prepared = run(envelope, "prepare");
        assertThat(prepared.code()).as(prepared.words()).isZero();
        assertThat(folder.resolve("lib/envelope.jsa")).isNotEmptyFile();
        assertThat(folder.resolve("lib/envelope.jsa.for")).isNotEmptyFile();
        assertThat(run(envelope, "version").words().lines()).hasSize(3);

        stack.topics().create("archive", 1);
        Database database = stack.postgres().createDatabase("archive");
        Path settings = folder.resolve("consumer.properties");
        Files.write(settings, Applications.settings(stack, "archive", database));
        String log = start(envelope, settings);

        Matcher running = RUNNING.matcher(log);
        assertThat(running.find()).as(log).isTrue();
        System.out.println("archive: " + running.group());
        assertThat(log).doesNotContain("[cds");
    }

    private String start(String envelope, Path settings) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        List<String> command = new ArrayList<>(List.of(envelope, "run", "-c", settings.toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home", ""));
        Process process = builder.start();
        try {
            for (int looks = 0; looks < 600 && process.isAlive(); looks++) {
                if (RUNNING.matcher(Files.readString(log)).find()) {
                    break;
                }
                process.waitFor(100, TimeUnit.MILLISECONDS);
            }
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(log);
    }
}
