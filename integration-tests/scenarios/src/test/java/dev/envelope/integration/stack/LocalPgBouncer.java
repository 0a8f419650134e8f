package dev.envelope.integration.stack;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PgBouncer of the system's package before a Postgres. Who logs in there has to know the password
 * that the database knows.
 *
 * <p>Threads: immutable; what changes is the process'.
 */
public final class LocalPgBouncer implements Servers, AutoCloseable {

    private static final Duration READY_WITHIN = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final LocalStack stack;
    private final int port;
    private final ChildProcess process;

    private LocalPgBouncer(LocalStack stack, int port, ChildProcess process) {
        this.stack = stack;
        this.port = port;
        this.process = process;
    }

    /** Where one is installed; empty if none is. Debian keeps it off the path of ordinary users. */
    public static Optional<Path> installed() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Arrays.stream(path.split(File.pathSeparator)), Stream.of("/usr/sbin"))
                .map(folder -> Path.of(folder, "pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts one with a configuration that sets nothing which need not be set.
     *
     * @param poolMode when it lends a connection to somebody else: {@code session}, {@code
     *     transaction} or {@code statement}
     * @param connections that it opens for each user of each database
     */
    public static LocalPgBouncer start(LocalStack stack, String poolMode, int connections) {
        ServerUser user = ServerUser.find();
        int port = Ports.free();
        String name = "pgbouncer-" + poolMode + "-" + port;
        Path folder = user.ownFolder(stack.workspace(), name);
        Database superuser = stack.postgres().superuser();
        try {
            Path users = folder.resolve("users.txt");
            Files.writeString(
                    users, "\"%s\" \"%s\"\n".formatted(superuser.user(), superuser.password()));
            Path settings = folder.resolve("pgbouncer.ini");
            Files.write(
                    settings,
                    List.of(
                            "[databases]",
                            "* = host=127.0.0.1 port=" + stack.postgres().port(),
                            "[pgbouncer]",
                            "listen_addr = 127.0.0.1",
                            "listen_port = " + port,
                            "unix_socket_dir =",
                            "auth_type = scram-sha-256",
                            "auth_file = " + users,
                            "auth_user = " + superuser.user(),
                            "pool_mode = " + poolMode,
                            "default_pool_size = " + connections,
                            "max_client_conn = 200"));
            ChildProcess process =
                    stack.workspace()
                            .start(
                                    name,
                                    user.command(
                                            List.of(
                                                    installed().orElseThrow().toString(),
                                                    settings.toString())));
            Waiting.until(
                    READY_WITHIN,
                    PAUSE,
                    () -> isListening(port),
                    () -> "PgBouncer does not start:\n" + process.logTail(20));
            return new LocalPgBouncer(stack, port, process);
        } catch (IOException e) {
            throw new UncheckedIOException("no configuration for PgBouncer", e);
        }
    }

    private static boolean isListening(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The maintenance database with the superuser's rights, behind it. */
    public Database superuser() {
        return stack.postgres().superuser().at(port);
    }

    @Override
    public String bootstrapServers() {
        return stack.bootstrapServers();
    }

    @Override
    public Topics topics() {
        return stack.topics();
    }

    /** A new database, behind it. */
    @Override
    public Database createDatabase(String name) {
        return stack.createDatabase(name).at(port);
    }

    @Override
    public Workspace workspace() {
        return stack.workspace();
    }

    @Override
    public void close() {
        process.kill();
    }
}
