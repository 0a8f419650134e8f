package dev.envelope.integration.soak;

import dev.envelope.integration.stack.LocalPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The files of the database as they were at a moment, to be put back later: what a fail-over or a
 * backup does to whoever has seen more.
 *
 * <p>Threads: one at a time.
 */
public final class DatabaseCopy {

    private final LocalPostgres postgres;
    private final Path copy;

    private DatabaseCopy(LocalPostgres postgres, Path copy) {
        this.postgres = postgres;
        this.copy = copy;
    }

    /** Copies the files while the server is down for it. */
    public static DatabaseCopy of(LocalPostgres postgres) {
        Path copy = postgres.data().resolveSibling(postgres.data().getFileName() + "-copy");
        postgres.stop();
        run("rm", "-rf", copy.toString());
        run("cp", "-a", postgres.data().toString(), copy.toString());
        postgres.start();
        return new DatabaseCopy(postgres, copy);
    }

    /** Kills the server and starts it with the files of then. */
    public void restore() {
        postgres.kill();
        run("rm", "-rf", postgres.data().toString());
        run("mv", copy.toString(), postgres.data().toString());
        postgres.start();
    }

    /** By the system's own programs, which keep owners and rights. */
    private static void run(String... command) {
        try {
            int code =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .start()
                            .waitFor();
            if (code != 0) {
                throw new IllegalStateException(List.of(command) + " ended with " + code);
            }
        } catch (IOException e) {
            throw new IllegalStateException(String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
