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

    /** In the order of their versions, which stand in their names; some may be left out. */
    private static final List<String> VERSIONED =
            List.of(
                    "V1__rows_sources_and_parked_messages.sql",
                    "V2__dead_letters_and_their_relay.sql",
                    "V3__crashes_and_stopped_partitions.sql",
                    "V4__skipped_offsets_and_added_partitions.sql",
                    "V5__null_keys_and_deleted_keys.sql",
                    "V6__repairs_of_rows.sql",
                    "V7__messages_behind_a_cut.sql",
                    "V9__what_operators_ask_for.sql");

    private static final String WORKER_RIGHTS = "R__rights_of_the_worker.sql";

    /** The version that this program works with. */
    static final int VERSION = versionOf(VERSIONED.get(VERSIONED.size() - 1));

    private Migrations() {}

    /** What leads from one version to {@link #VERSION}, file by file. */
    static List<String> after(int version, PostgresSettings settings) {
        return VERSIONED.stream()
                .filter(file -> versionOf(file) > version)
                .map(file -> read(file).replace("${schema}", settings.quotedSchema()))
                .toList();
    }

    private static int versionOf(String file) {
        return Integer.parseInt(file.substring(1, file.indexOf("__")));
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
