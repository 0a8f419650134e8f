package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The SQL files, with names as in Flyway, so that they can also be run with Flyway.
 *
 * <p>Old and new programs run side by side, and an update may be rolled back. So a file only adds
 * things that programs from {@code min_program} on don't need. What no program uses any more is
 * removed by a later file, which raises {@code min_program}, and also {@code schema_version} if
 * programs of version 7 and before can't run any more. New tables must be in {@link #TABLES} and in
 * the file of rights, with all four rights: a program of version 7 requires them on each table.
 * Citus takes one change at a time of a table.
 */
final class Migrations {

    /** In the order of the versions in their names; version numbers may be missing. */
    private static final List<String> VERSIONED =
            List.of(
                    "V1__rows_sources_and_parked_messages.sql",
                    "V2__dead_letters_and_their_relay.sql",
                    "V3__crashes_and_stopped_partitions.sql",
                    "V4__skipped_offsets_and_added_partitions.sql",
                    "V5__null_keys_and_deleted_keys.sql",
                    "V6__repairs_of_rows.sql",
                    "V7__messages_behind_a_cut.sql",
                    "V8__pins_and_versions.sql",
                    "V9__what_operators_ask_for.sql",
                    "V10__outputs_and_their_relays.sql",
                    "V11__timers_and_replies.sql",
                    "V12__who_owns_which_partition.sql",
                    "V13__numbers_of_table_rows.sql",
                    "V14__messages_that_are_done.sql");

    private static final String WORKER_RIGHTS = "R__rights_of_the_worker.sql";

    /** The version that this program works with. */
    static final int VERSION = versionOf(VERSIONED.get(VERSIONED.size() - 1));

    /** The tables that this program reads and writes, beside {@code application}. */
    static final List<String> TABLES =
            List.of(
                    "checkpoint",
                    "crash",
                    "done",
                    "dropped",
                    "instance",
                    "lease",
                    "outbox",
                    "output",
                    "parked",
                    "parked_tally",
                    "paused",
                    "pin",
                    "purge",
                    "relay",
                    "replacement",
                    "reply",
                    "request",
                    "skipped",
                    "source",
                    "state",
                    "stopped",
                    "timer");

    private Migrations() {}

    /** The SQL from one version to {@link #VERSION}, file by file. */
    static List<String> after(int version, PostgresSettings settings) {
        return between(version, VERSION, settings);
    }

    /** The SQL from one version to another, file by file. */
    static List<String> between(int version, int next, PostgresSettings settings) {
        return VERSIONED.stream()
                .filter(file -> versionOf(file) > version && versionOf(file) <= next)
                .map(file -> read(file).replace("${schema}", settings.quotedSchema()))
                .toList();
    }

    /**
     * The same SQL for a database with Citus. That has fewer kinds of columns, and writes a wrong
     * statement where it would take the time of the transaction for an INSERT that reads a table.
     * Differences of the tally are inserted on a worker, which must take no number of a sequence.
     */
    static String forCitus(String sql) {
        return sql.replaceAll(
                        "(parked_tally \\(\\s+number) bigint GENERATED ALWAYS AS IDENTITY",
                        "$1 uuid DEFAULT pg_catalog.gen_random_uuid()")
                .replace("integer GENERATED ALWAYS AS", "bigint GENERATED ALWAYS AS")
                .replace("DEFAULT now()", "DEFAULT clock_timestamp()")
                .replaceAll("ALTER TABLE [^;]* SET STORAGE [^;]*;", "");
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
