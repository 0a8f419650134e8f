package dev.envelope.idempotency.store.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The SQL files, named as Flyway wants them, so that who runs Flyway can run them with it.
 *
 * <p>Threads: immutable.
 */
final class Migrations {

    /** In the order of their versions, which begin at 1 and leave none out. */
    private static final List<String> VERSIONED =
            List.of("V1__rows_sources_and_parked_messages.sql");

    private static final String WORKER_RIGHTS = "R__rights_of_the_worker.sql";

    /** The version that this program works with. */
    static final int VERSION = VERSIONED.size();

    private Migrations() {}

    /** What leads from one version to {@link #VERSION}, file by file. */
    static List<String> after(int version, PostgresSettings settings) {
        return VERSIONED.subList(version, VERSION).stream()
                .map(file -> read(file).replace("${schema}", settings.quotedSchema()))
                .toList();
    }

    static String workerRights(PostgresSettings settings) {
        String worker = '"' + settings.login().user().replace("\"", "\"\"") + '"';
        return read(WORKER_RIGHTS)
                .replace("${schema}", settings.quotedSchema())
                .replace("${worker}", worker);
    }

    private static String read(String file) {
        try (InputStream in = Migrations.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException(file + " is missing in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
