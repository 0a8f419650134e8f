package dev.envelope.integration.stack;

/**
 * A broker and a Postgres to work with, wherever they come from: processes of ours, or containers.
 *
 * <p>Threads: thread-safe.
 */
public interface Servers {

    /** Where clients find the broker. */
    String bootstrapServers();

    /** The topics of the broker. */
    Topics topics();

    /** Makes a role and a database that it owns, both of that name. */
    Database createDatabase(String name);

    /** Where further processes can be started. */
    Workspace workspace();
}
