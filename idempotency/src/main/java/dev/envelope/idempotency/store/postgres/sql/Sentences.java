package dev.envelope.idempotency.store.postgres.sql;

/** Messages to operators, each with the fix. */
public final class Sentences {

    public static final String SYNCHRONOUS_COMMIT_OFF =
            "synchronous_commit is off for this role or database, so a crash of the server could"
                    + " lose what was said to be saved: ALTER ROLE or ALTER DATABASE … SET"
                    + " synchronous_commit = on";

    public static final String POOLED_TRANSACTIONS =
            "a pooler in transaction mode stands between us and the database: give us a pool with"
                    + " pool_mode=session, or the server's own port";

    public static final String NO_TABLE_ON_CITUS =
            "a table can't be read where the schema is on a worker of Citus: its rows are done in the"
                    + " same statement as ours, which takes one server for both";

    private Sentences() {}

    static String wrongPassword(PostgresSettings settings) {
        return "the database refuses the login of "
                + settings.login().user()
                + ": check store.user, store.password and the server's pg_hba.conf";
    }

    static String distrusted() {
        return "the database is not trusted: its certificate must name the host of store.url, be"
                + " valid today and lead to sslrootcert";
    }

    static String noEncryption() {
        return "the database does not encrypt, and sslmode (or ssl) in store.url asks for it: set"
                + " ssl = on at the server, or take sslmode out of store.url";
    }

    static String noDatabase() {
        return "the database that store.url names does not exist: create it or correct store.url";
    }

    public static String lacksRights(PostgresSettings settings) {
        return "the role "
                + settings.login().user()
                + " lacks a right on schema "
                + settings.schema()
                + ": run the migration with store.migrator.user set, which grants what is needed,"
                + " or is store.user the wrong one?";
    }

    public static String nameIsTaken(PostgresSettings settings) {
        return "another process of "
                + settings.applicationId()
                + " runs under the name "
                + settings.instance()
                + ": give each process an instance.name of its own, or leave that setting out";
    }

    public static String nameWasSeen(PostgresSettings settings) {
        return "a process named "
                + settings.instance()
                + " was seen less than 10 s ago; if it has ended, its name is free then";
    }

    public static String noSchema(PostgresSettings settings) {
        return "the schema "
                + settings.schema()
                + " lacks our tables: run envelope migrate -c FILE, or set"
                + " store.schema.management=auto";
    }

    static String distributedTables(PostgresSettings settings, String tables) {
        return "tables of schema "
                + settings.schema()
                + " are distributed by Citus ("
                + tables
                + "), so one save would span several servers: undistribute_table() each of them, or"
                + " make the schema one that is on a worker as a whole, with"
                + " citus_schema_distribute()";
    }

    static String notTheCoordinator(PostgresSettings settings) {
        return "store.url names a worker of Citus: the schema "
                + settings.schema()
                + " is reached through the coordinator alone, whose sequences number its rows";
    }

    static String notTheOwnerOfCitus(String owner, String role) {
        return "tables on a worker of Citus are made by the role that owns its extension: set"
                + " store.migrator.user="
                + owner
                + ", which is "
                + role
                + " now";
    }

    static String notSupported() {
        return "the database can't run a statement of ours at all: it is no Postgres, or an extension"
                + " such as Citus keeps the schema in a way that docs/scaling.md does not list";
    }
}
