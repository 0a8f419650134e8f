package dev.envelope.idempotency.store.postgres.work;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection for a call of user code, which can't end the transaction or change the session, and
 * of no use any more after the call. Closing it does nothing.
 *
 * <p>Threads: thread-safe (a volatile flag), as far as the connection is.
 */
final class GivenConnection implements InvocationHandler {

    private static final Set<String> REFUSED =
            Set.of(
                    "abort",
                    "commit",
                    "setCatalog",
                    "setClientInfo",
                    "setHoldability",
                    "setNetworkTimeout",
                    "setReadOnly",
                    "setSchema",
                    "setTransactionIsolation",
                    "setTypeMap",
                    "unwrap");

    private final Connection connection;
    private volatile boolean isOver;

    GivenConnection(Connection connection) {
        this.connection = connection;
    }

    Connection forUser() {
        return (Connection)
                Proxy.newProxyInstance(
                        GivenConnection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        this);
    }

    /** The call has returned. */
    void end() {
        isOver = true;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        return switch (name) {
            case "close" -> null;
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "the connection of a call" + (isOver ? " that is over" : "");
            case "isWrapperFor" -> false;
            case "isClosed" -> isOver || connection.isClosed();
            default -> passedOn(name, method, arguments);
        };
    }

    private @Nullable Object passedOn(String name, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (isOver) {
            throw new SQLException("the call that this connection was for is over", "08003");
        } else if (name.equals("setAutoCommit") && !isTrue(arguments)) {
            return null; // it is off
        } else if (REFUSED.contains(name)
                || name.equals("setAutoCommit")
                || (name.equals("rollback") && !isToSavepoint(arguments))) {
            throw new SQLException(
                    name
                            + " is not for the handler: the transaction is committed when it returns,"
                            + " and rolled back when it throws",
                    "2D000");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static boolean isTrue(Object @Nullable [] arguments) {
        return arguments != null && Boolean.TRUE.equals(arguments[0]);
    }

    private static boolean isToSavepoint(Object @Nullable [] arguments) {
        return arguments != null && arguments.length == 1 && arguments[0] instanceof Savepoint;
    }
}
