package dev.envelope.integration.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real Postgres, as durable as in production: fsync and synchronous commit are on.
 *
 * <p>Threads: guarded by this.
 */
public final class LocalPostgres implements Server {

    private static final String NAME = "postgres";
    private static final String PASSWORD = "envelope";
    private static final Duration INITIALISED_WITHIN = Duration.ofSeconds(60);
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(40);
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

    private final Workspace workspace;
    private final String name;
    private final Map<String, String> settings;
    private final int port = Ports.free();
    private final ServerUser user = ServerUser.find();
    private final Path data;
    private @Nullable ChildProcess process;

    /**
     * A server that is not started yet, and has no data.
     *
     * @param settings server settings, as in {@code postgresql.conf}, that replace ours or are
     *     added to them
     */
    public LocalPostgres(Workspace workspace, Map<String, String> settings) {
        this(workspace, NAME, settings);
    }

    /** The same beside another one, with a name for its folder and log. */
    public LocalPostgres(Workspace workspace, String name, Map<String, String> settings) {
        this.workspace = workspace;
        this.name = name;
        this.settings = Map.copyOf(settings);
        this.data = user.ownFolder(workspace, name).resolve("data");
    }

    /**
     * A standby that has all that this server has at this moment, and will get no more: what a
     * replica is that has fallen behind. It is not started yet.
     *
     * @param standby the name of its folder and log
     */
    public LocalPostgres standby(String standby) {
        LocalPostgres copy = new LocalPostgres(workspace, standby, settings);
        pause(); // so that all files are of one moment
        try {
            run(List.of("cp", "-a", data.toString(), copy.data.toString()));
            run(
                    List.of(
                            "cp",
                            "-a",
                            data.resolve("PG_VERSION").toString(),
                            copy.data.resolve("standby.signal").toString()));
        } finally {
            resume();
        }
        return copy;
    }

    /** Makes a standby the primary, and returns when it is. */
    public void promote() {
        execute(superuser(), "SELECT pg_promote()");
    }

    private static void run(List<String> command) {
        try {
            int code = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (code != 0) {
                throw new IllegalStateException(command + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int port() {
        return port;
    }

    /** The folder with its files: while it is down, they can be copied and put back. */
    public Path data() {
        return data;
    }

    @Override
    public synchronized ChildProcess process() {
        if (process == null) {
            throw new IllegalStateException("Postgres has not been started");
        }
        return process;
    }

    @Override
    public synchronized void start() {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException("Postgres runs already");
        }
        PostgresBinaries binaries = PostgresBinaries.unpacked();
        if (Files.exists(data)) {
            forgetLastProcess();
        } else {
            initialise(binaries);
        }
        ChildProcess started = workspace.start(name, serverCommand(binaries));
        process = started;
        Waiting.until(READY_WITHIN, PAUSE, () -> isReady(started), () -> failure(started));
    }

    @Override
    public void stop() {
        // The fast shutdown: sessions are ended, not waited for.
        process().stop(Signal.INT, STOPPED_WITHIN);
    }

    /** The maintenance database, with the superuser's rights. */
    public Database superuser() {
        return database("postgres", "postgres");
    }

    /**
     * Makes a role with a password and no rights to speak of, and a database that it owns, of the
     * same name.
     */
    public Database createDatabase(String name) {
        createRole(name);
        execute(superuser(), "CREATE DATABASE " + name + " OWNER " + name);
        return database(name, name);
    }

    /** Makes a role with a password and no rights, who may connect to {@code database}. */
    public Database createRole(String name, Database database) {
        createRole(name);
        return new Database(database.url(), name, PASSWORD);
    }

    private void createRole(String name) {
        if (!PLAIN_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a plain name: " + name);
        }
        execute(superuser(), "CREATE ROLE " + name + " LOGIN PASSWORD '" + PASSWORD + "'");
    }

    private Database database(String name, String owner) {
        return new Database("jdbc:postgresql://127.0.0.1:" + port + "/" + name, owner, PASSWORD);
    }

    private static void execute(Database database, String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private void initialise(PostgresBinaries binaries) {
        Path password = workspace.folder().resolve("postgres.password");
        write(password, PASSWORD);
        ChildProcess initdb =
                workspace.start(
                        "initdb",
                        user.command(
                                List.of(
                                        binaries.program("initdb").toString(),
                                        "--pgdata=" + data,
                                        "--username=postgres",
                                        "--pwfile=" + password,
                                        "--auth=scram-sha-256",
                                        "--encoding=UTF8",
                                        "--locale=C",
                                        "--locale-provider=builtin",
                                        "--builtin-locale=C.UTF-8",
                                        "--no-sync",
                                        "--no-instructions")));
        if (initdb.awaitExit(INITIALISED_WITHIN) != 0) {
            throw new IllegalStateException("initdb failed:\n" + initdb.logTail(40));
        }
    }

    private List<String> serverCommand(PostgresBinaries binaries) {
        List<String> line = new ArrayList<>();
        line.addAll(List.of(binaries.program("postgres").toString(), "-D", data.toString()));
        line.addAll(List.of("-p", Integer.toString(port)));
        setting(line, "listen_addresses", "127.0.0.1");
        setting(line, "unix_socket_directories", "");
        setting(line, "max_connections", "100");
        settings.forEach((name, value) -> setting(line, name, value));
        return user.command(line);
    }

    private static void setting(List<String> line, String name, String value) {
        line.addAll(List.of("-c", name + "=" + value));
    }

    /**
     * Deletes the pid file of a killed server, which is known to be gone: the number in it may be
     * somebody else's by now, and Postgres would then refuse to start.
     */
    private void forgetLastProcess() {
        try {
            Files.deleteIfExists(pidFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By the server's own word: the last line of its pid file. */
    private boolean isReady(ChildProcess server) {
        if (!server.isAlive()) {
            throw new IllegalStateException(failure(server));
        }
        try {
            List<String> lines = Files.readAllLines(pidFile());
            String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1).strip();
            return last.equals("ready") || last.equals("standby");
        } catch (IOException notYet) {
            return false;
        }
    }

    private Path pidFile() {
        return data.resolve("postmaster.pid");
    }

    private static String failure(ChildProcess server) {
        return "Postgres does not start; the end of its log:\n" + server.logTail(40);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("could not write " + file, e);
        }
    }
}
