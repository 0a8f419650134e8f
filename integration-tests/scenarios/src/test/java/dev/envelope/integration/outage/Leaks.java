package dev.envelope.integration.outage;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.io.File;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/**
 * What an application must give back when it is closed: threads, sessions of the database,
 * connections through the proxies, file handles.
 *
 * <p>Threads: immutable.
 *
 * @param threads that were there before
 * @param handles that were open before
 */
record Leaks(Set<Thread> threads, int handles) {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** What the JVM and the test's own clients open in the meantime. */
    private static final int HANDLES_ASIDE = 40;

    private static final List<String> OF_THE_APPLICATION =
            List.of("envelope-", "kafka-coordinator-heartbeat", "HikariPool", "PostgreSQL-JDBC");

    static Leaks baseline() {
        return new Leaks(Thread.getAllStackTraces().keySet(), openHandles());
    }

    void assertNone(ProxiedStack stack, String application, Database database) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            refute("threads", newThreads());
                            refute("sessions", sessions(application, database));
                            refute("ways to Postgres", count(stack.toPostgres().connections()));
                            refute("ways to the broker", count(stack.toBroker().connections()));
                            refute("handles", count(openHandles() - handles - HANDLES_ASIDE));
                        });
    }

    private static void refute(String what, Set<String> left) {
        if (!left.isEmpty()) {
            throw new AssertionError(what + " are left behind: " + left);
        }
    }

    private static Set<String> count(int left) {
        return left <= 0 ? Set.of() : Set.of(Integer.toString(left));
    }

    private Set<String> newThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(it -> !threads.contains(it))
                .map(Thread::getName)
                .filter(name -> OF_THE_APPLICATION.stream().anyMatch(name::startsWith))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The server is reached by the way that always works. */
    private static Set<String> sessions(String application, Database database) throws SQLException {
        Set<String> found = new TreeSet<>();
        try (Connection connection = database.connect();
                PreparedStatement query =
                        connection.prepareStatement(
                                "SELECT pid || ' ' || application_name FROM pg_stat_activity"
                                        + " WHERE application_name LIKE ?")) {
            query.setString(1, "envelope " + application + " %");
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.add(row.getString(1));
                }
            }
        }
        return found;
    }

    /** 0 where the system does not tell. */
    private static int openHandles() {
        return Optional.ofNullable(new File("/proc/self/fd").list()).map(it -> it.length).orElse(0);
    }
}
