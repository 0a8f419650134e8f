package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.Incarnation;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements on connections of one pool: a single statement, or several on one connection.
 * Failures mean: try again later.
 *
 * <p>Threads: thread-safe (immutable).
 */
public final class Tables {

    private final Database database;
    private final Database.Pool pool;
    private final String quotedSchema;

    public Tables(Database database, Database.Pool pool, PostgresSettings settings) {
        this.database = database;
        this.pool = pool;
        this.quotedSchema = settings.quotedSchema();
    }

    /**
     * Work on a connection.
     *
     * @param <T> its result
     */
    @FunctionalInterface
    public interface Work<T> {
        T on(Statements statements, ServerLife life) throws SQLException;
    }

    /** Several statements, each committed by itself. */
    public <T> T call(@Nullable Incarnation expected, Work<T> work) {
        return database.call(
                pool,
                expected,
                (connection, life) -> work.on(new Statements(connection, quotedSchema), life));
    }

    /** Several statements that are committed together. */
    public <T> T transaction(@Nullable Incarnation expected, Work<T> work) {
        return database.call(
                pool,
                expected,
                (connection, life) -> {
                    connection.setAutoCommit(false);
                    T result = work.on(new Statements(connection, quotedSchema), life);
                    connection.commit();
                    return result;
                });
    }

    /** A call that may also fail because of a row. */
    public <T> T save(Incarnation expected, Work<T> work) {
        return database.save(
                pool,
                expected,
                (connection, life) -> work.on(new Statements(connection, quotedSchema), life));
    }

    /** Changes rows; returns how many. */
    public int update(String sql, @Nullable Object... values) {
        return call(null, (statements, life) -> statements.update(sql, values));
    }

    /** All rows of a result. */
    public <T> List<T> list(String sql, Statements.Row<T> each, @Nullable Object... values) {
        return call(null, (statements, life) -> statements.list(sql, each, values));
    }

    /** The first row of a result, if there is one. */
    public <T> Optional<T> first(String sql, Statements.Row<T> of, @Nullable Object... values) {
        return call(null, (statements, life) -> statements.first(sql, of, values));
    }

    /** The row of a result that always has one. */
    public <T> T one(String sql, Statements.Row<T> of, @Nullable Object... values) {
        return call(null, (statements, life) -> statements.one(sql, of, values));
    }
}
