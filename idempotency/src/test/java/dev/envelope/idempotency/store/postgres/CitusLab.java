package dev.envelope.idempotency.store.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The cluster that {@code -Dcitus.url} names, in the hands of a test: {@code -Dcitus.lab} is the
 * folder with a data directory for each server, and {@code -Dcitus.up} the program that starts
 * those that are down.
 */
public final class CitusLab {

    /** The folders of the servers. */
    public static final String COORDINATOR = "coordinator";

    public static final List<String> WORKERS = List.of("worker1", "worker2");

    private final Path folder = Path.of(property("citus.lab"));
    private final String up = property("citus.up");

    private static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), name);
    }

    /** Ends a server at once, as a crash does. */
    public void kill(String server) {
        try {
            Path file = folder.resolve(server).resolve("postmaster.pid");
            long pid = Long.parseLong(Files.readAllLines(file).get(0));
            ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
            process.destroyForcibly();
            process.onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts what is down. */
    public void start() {
        try {
            Process process =
                    new ProcessBuilder(up)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the servers did not start");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The server that has a schema. */
    public static String serverOf(TestServer coordinator, String schema) {
        String last = coordinator.query("SELECT max(nodeport) FROM pg_dist_node WHERE groupid > 0");
        return WORKERS.get(portOf(coordinator, schema).equals(last) ? 1 : 0);
    }

    /** Its port. */
    public static String portOf(TestServer coordinator, String schema) {
        return coordinator.query(
                "SELECT max(nodeport) FROM citus_shards WHERE table_name = '%s.state'::regclass"
                        .formatted(schema));
    }

    /** Moves a schema to the other worker; ends when it is there. */
    public static void move(TestServer coordinator, String schema) {
        coordinator.execute(
                "SELECT citus_schema_move('%s', nodename, nodeport, 'block_writes') FROM pg_dist_node WHERE groupid > 0 AND nodeport <> %s"
                        .formatted(schema, portOf(coordinator, schema)));
    }
}
