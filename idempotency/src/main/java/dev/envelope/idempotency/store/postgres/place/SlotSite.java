package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings.Timeouts;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A database that may have slots of an application.
 *
 * @param place its name
 * @param settings those of the worker; the schema is without the number of a slot
 * @param owner of the schemas; null if the worker is
 */
public record SlotSite(
        String place, PostgresSettings settings, PostgresSettings.@Nullable Login owner) {

    /** No statement of a copy is quick. A server that is silent for this long is away. */
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** Work on a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /**
     * Asks questions.
     *
     * @throws UnavailableException with the name of the place
     */
    <T> T ask(Work<T> questions) {
        try (Connection connection = new Connector(settings, settings.timeouts().lock()).open()) {
            return questions.on(connection);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * Works on a connection as {@link #open} makes it.
     *
     * @throws UnavailableException with the name of the place
     */
    <T> T with(Work<T> work) {
        try (Connection connection = open()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** The failure of a statement in words, with the name of the place. */
    public UnavailableException failed(SQLException e) {
        UnavailableException failure = new SqlErrors(settings).unavailable(e);
        String words = "place " + place + ": " + failure.getMessage();
        return failure instanceof RefusedException
                ? new RefusedException(words, failure)
                : new UnavailableException(words, failure);
    }

    /** A connection of the owner for statements that take long, in a transaction. */
    public Connection open() throws SQLException {
        Connection connection = new Connector(patient(), LONGEST_WAIT).open();
        connection.setAutoCommit(false);
        try (Statement set = connection.createStatement()) {
            set.execute(
                    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;"
                            + " SET synchronous_commit = on; SET search_path = pg_catalog;"
                            + " SET lock_timeout = "
                            + LONGEST_WAIT.toMillis());
        }
        connection.commit();
        return connection;
    }

    private PostgresSettings patient() {
        Timeouts its = settings.timeouts();
        PostgresSettings asOwner = owner == null ? settings : settings.withLogin(owner);
        return new PostgresSettings(
                asOwner.url(),
                asOwner.login(),
                asOwner.schema(),
                asOwner.applicationId(),
                asOwner.instance(),
                asOwner.lanes(),
                new Timeouts(
                        its.connect(),
                        its.borrow(),
                        its.lock(),
                        LONGEST_SILENCE.dividedBy(2),
                        LONGEST_SILENCE,
                        its.idleInTransaction()));
    }

    /** Its settings with the schema of a slot. */
    public PostgresSettings of(int slot) {
        return settings.withSchema(SlotSchemas.of(settings.schema(), slot));
    }

    /** What makes and changes the tables of a slot. */
    public Migrator migrator(int slot) {
        return new Migrator(of(slot), owner);
    }
}
