package dev.envelope.integration.stack;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * The address of a database, and the user who may use it.
 *
 * <p>Threads: immutable.
 */
public record Database(String url, String user, String password) {

    /** The same database at another port, such as a proxy's. */
    public Database at(int port) {
        return new Database(
                url.replaceFirst("127\\.0\\.0\\.1:\\d+", "127.0.0.1:" + port), user, password);
    }

    /** Where its server listens. */
    public int port() {
        return URI.create(url.substring("jdbc:".length())).getPort();
    }

    /** A new connection; the caller closes it. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }
}
