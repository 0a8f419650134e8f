package dev.envelope.integration.stack;

import java.util.List;

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

    /** The same on each database server, if there are several. */
    default List<Database> createDatabases(String name) {
        return List.of(createDatabase(name));
    }

    /** Where further processes can be started. */
    Workspace workspace();
}
