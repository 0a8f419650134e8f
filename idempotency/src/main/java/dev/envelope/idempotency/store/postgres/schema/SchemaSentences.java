package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;

/** Messages to operators about a schema, each with the fix. */
public final class SchemaSentences {

    private SchemaSentences() {}

    static String newerSchema(PostgresSettings settings, InstalledSchema found) {
        return "the schema "
                + settings.schema()
                + " is of version "
                + found.version()
                + ", for programs that know at least version "
                + found.minProgram()
                + ", and this one knows up to "
                + Migrations.VERSION
                + ": run the newer program";
    }

    static String newerButOurs(PostgresSettings settings, InstalledSchema found) {
        return "the schema "
                + settings.schema()
                + " is of version "
                + found.version()
                + "; this program knows up to "
                + Migrations.VERSION
                + " and may run on it";
    }

    static String olderSchema(PostgresSettings settings, int found) {
        return "the schema "
                + settings.schema()
                + " is of version "
                + found
                + ", this program needs "
                + Migrations.VERSION
                + ": run envelope migrate -c FILE, or set store.schema.management=auto";
    }

    static String otherApplication(PostgresSettings settings, String found) {
        return "the schema "
                + settings.schema()
                + " belongs to the application "
                + found
                + ", not to "
                + settings.applicationId()
                + ": give each application its own store.schema";
    }

    static String takesPositionsAhead(PostgresSettings settings, String sequence) {
        String name = settings.quotedSchema() + "." + sequence;
        return "each connection takes several numbers of the sequence "
                + name
                + " ahead, so that outputs of a key could reach Kafka in another order than that of"
                + " its saves: ALTER SEQUENCE "
                + name
                + " CACHE 1";
    }
}
