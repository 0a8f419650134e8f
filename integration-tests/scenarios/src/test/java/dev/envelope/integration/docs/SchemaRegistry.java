package dev.envelope.integration.docs;

import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A real registry of schemas, which keeps them in memory.
 *
 * <p>Threads: immutable.
 */
record SchemaRegistry(int port, ChildProcess process) {

    private static final Path SERVER =
            Checkout.ROOT.resolve("integration-tests/registry/target/server");

    /** Starts one and returns at once. */
    static SchemaRegistry start(Workspace workspace) throws IOException {
        int port = Ports.free();
        JavaCommand command =
                JavaCommand.of(SchemaRegistry.class)
                        .runs("io.quarkus.runner.GeneratedMain")
                        .onClassPath(jar().toString())
                        .heap("256m")
                        .with("quarkus.http.host", "127.0.0.1")
                        .with("quarkus.http.port", Integer.toString(port));
        return new SchemaRegistry(port, workspace.start("registry", command));
    }

    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(SERVER)) {
            return files.filter(it -> it.toString().endsWith("-runner.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("nothing in " + SERVER));
        }
    }

    void await() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .ignoreExceptions()
                .until(() -> answers() || !process.isAlive());
    }

    private boolean answers() throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + "/apis/registry/v2/system/info")
                                .toURL()
                                .openConnection();
        return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    }
}
