package dev.envelope.integration.demo.group;

import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The program as a process of its own, at an address that is the same whenever it is started, with
 * a properties file as its users write it.
 *
 * <p>Threads: immutable.
 *
 * @param token what its page wants from whoever turns something
 */
public record Instance(int number, String url, String token, Path settings, Workspace workspace) {

    private static final String MAIN = "dev.envelope.app.Main";

    /**
     * What all instances are.
     *
     * @param settings beyond those that each instance has, such as what it reads: lines of a
     *     properties file
     */
    public record Application(String id, String settings) {}

    /** Writes the files of one that keeps rows; it is not started yet. */
    public static Instance of(
            int number, Servers stack, Application application, Database database, String token) {
        String store =
                """
                store.url=%s
                store.user=%s
                store.password=${file:%s:password}
                """
                        .formatted(database.url(), database.user(), secrets(number, stack));
        return of(number, stack, application, token, store, "password=" + database.password());
    }

    /** The same of one that needs no database. */
    public static Instance of(int number, Servers stack, Application application, String token) {
        return of(number, stack, application, token, "", "");
    }

    private static Instance of(
            int number,
            Servers stack,
            Application application,
            String token,
            String store,
            String secret) {
        int port = Ports.free();
        Path secrets = secrets(number, stack);
        Path settings = stack.workspace().folder().resolve("demo-" + number + ".properties");
        write(secrets, secret + "\ntoken=" + token + "\n");
        write(
                settings,
                """
                application.id=%s
                bootstrap.servers=%s
                http.listen=127.0.0.1:%d
                http.token=${file:%s:token}
                kafka.consumer.session.timeout.ms=6000
                """
                                .formatted(
                                        application.id(), stack.bootstrapServers(), port, secrets)
                        + store
                        + application.settings());
        return new Instance(number, "http://127.0.0.1:" + port, token, settings, stack.workspace());
    }

    private static Path secrets(int number, Servers stack) {
        return stack.workspace().folder().resolve("demo-" + number + ".secrets");
    }

    public ChildProcess start() {
        return workspace.start(
                "envelope-" + number,
                JavaCommand.of(Instance.class)
                        .runs(MAIN)
                        .heap("256m")
                        .arguments("run", "-c", settings.toString()));
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException("could not write " + file, e);
        }
    }
}
