package dev.envelope.integration.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.integration.app.Archive;
import dev.envelope.integration.docs.Checkout;
import dev.envelope.integration.stack.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.OutputFrame;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;

/** The image, built from the archive and run as a cluster would: as nobody, its files read-only. */
@Tag("containers")
class ImageInContainerTest {

    @Test
    void runsAsNobodyOnAReadOnlyFileSystemAndDrainsWhenItIsStopped() throws Exception {
        Path archive = Archive.built().orElse(null);
        assumeTrue(archive != null, "mvn package has not been run in this checkout");
        ContainerServers servers = ContainerServers.started();
        servers.topics().create("image", 1);
        Database database = servers.createDatabase("image");
        ImageFromDockerfile image =
                new ImageFromDockerfile()
                        .withFileFromPath(
                                "Dockerfile",
                                Checkout.ROOT.resolve("config/deploy/docker/Dockerfile"))
                        .withFileFromPath("consumer-app/target/" + archive.getFileName(), archive);

        try (GenericContainer<?> consumer = new GenericContainer<>(image)) {
            consumer.withNetworkMode("host")
                    .withEnv(
                            Map.of(
                                    "ENVELOPE_APPLICATION_ID", "image",
                                    "ENVELOPE_BOOTSTRAP_SERVERS", servers.bootstrapServers(),
                                    "ENVELOPE_TOPICS", "image",
                                    "ENVELOPE_STORE_URL", database.url(),
                                    "ENVELOPE_STORE_USER", database.user(),
                                    "ENVELOPE_STORE_PASSWORD", database.password(),
                                    "ENVELOPE_HTTP_LISTEN", "127.0.0.1:0"))
                    .withFileSystemBind(
                            Checkout.ROOT.resolve("config/consumer.properties").toString(),
                            "/etc/envelope/consumer.properties",
                            BindMode.READ_ONLY)
                    .withCreateContainerCmdModifier(
                            command ->
                                    Objects.requireNonNull(command.getHostConfig())
                                            .withReadonlyRootfs(true)
                                            .withTmpFs(Map.of("/tmp", "rw")))
                    .waitingFor(
                            Wait.forLogMessage(".*running +1 partition .*", 1)
                                    .withStartupTimeout(Duration.ofMinutes(3)))
                    .start();

            assertThat(consumer.execInContainer("id", "-u").getStdout().strip()).isEqualTo("10001");
            assertThat(consumer.execInContainer("touch", "/opt/envelope/x").getExitCode())
                    .isNotZero();
            consumer.getDockerClient().stopContainerCmd(consumer.getContainerId()).exec();
            assertThat(
                            consumer.getLogs(
                                    OutputFrame.OutputType.STDOUT, OutputFrame.OutputType.STDERR))
                    .contains("SIGTERM");
        }
    }
}
