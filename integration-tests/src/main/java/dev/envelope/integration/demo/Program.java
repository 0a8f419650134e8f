package dev.envelope.integration.demo;

import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.UUID;

/**
 * The program as a process of its own, started with a properties file as its users write it.
 *
 * <p>Threads: immutable; what changes is the process'.
 */
final class Program {

    private static final String MAIN = "dev.envelope.app.Main";
    private static final Duration DRAINED_WITHIN = Duration.ofSeconds(25);

    private final ChildProcess process;
    private final Path settings;
    private final String url;
    private final String token;

    private Program(ChildProcess process, Path settings, String url, String token) {
        this.process = process;
        this.settings = settings;
        this.url = url;
        this.token = token;
    }

    static Program start(LocalStack stack, String application, String topic, Database database) {
        int port = Ports.free();
        Path settings = stack.workspace().folder().resolve("demo.properties");
        String token = UUID.randomUUID().toString();
        write(settings, settings(stack, application, topic, database, port, token));
        JavaCommand command =
                JavaCommand.of(Program.class)
                        .runs(MAIN)
                        .heap("256m")
                        .arguments("run", "-c", settings.toString());
        ChildProcess process = stack.workspace().start("envelope", command);
        return new Program(process, settings, "http://127.0.0.1:" + port, token);
    }

    private static String settings(
            LocalStack stack,
            String application,
            String topic,
            Database database,
            int port,
            String token) {
        Path secrets = stack.workspace().folder().resolve("demo.secrets");
        write(secrets, "password=" + database.password() + "\ntoken=" + token + "\n");
        return """
                application.id=%s
                bootstrap.servers=%s
                topics=%s
                handler=fold
                handler.fold.balance=sum(/amount)
                handler.fold.payments=count()
                handler.fold.largest=max(/amount)
                store.url=%s
                store.user=%s
                store.password=${file:%s:password}
                http.listen=127.0.0.1:%d
                http.token=${file:%s:token}
                """
                .formatted(
                        application,
                        stack.broker().bootstrapServers(),
                        topic,
                        database.url(),
                        database.user(),
                        secrets,
                        port,
                        secrets);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException("could not write " + file, e);
        }
    }

    /** Where it answers. */
    String url() {
        return url;
    }

    /** What the page wants from whoever turns something. */
    String token() {
        return token;
    }

    Path settings() {
        return settings;
    }

    Path log() {
        return process.log();
    }

    /** Fails, with its last words, if it has ended. */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("envelope has ended:\n" + process.logTail(30));
        }
    }

    /** Asks it to end, which it does when everything that it has fetched is saved. */
    int stop() {
        return process.stop(Signal.TERM, DRAINED_WITHIN);
    }
}
