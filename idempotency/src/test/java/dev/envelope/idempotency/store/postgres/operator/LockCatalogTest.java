package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog.Holder;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who holds a lock that somebody waits for. */
class LockCatalogTest {

    private static final String ROW = "SELECT 1 FROM %s.state WHERE key = 'a' FOR %s";

    private final PostgresFixture fixture = new PostgresFixture();
    private final String schema = fixture.settings().schema();
    private final OperatorConnections connections =
            new OperatorConnections(fixture.settings(), System::nanoTime, Duration.ofMinutes(1));
    private final LockCatalog catalog = connections.locks();

    @BeforeEach
    void insert() {
        fixture.server()
                .execute(
                        "INSERT INTO %s.state (key, version, marks) VALUES ('a', 1, ''), ('b', 1, '')"
                                .formatted(schema));
    }

    @AfterEach
    void close() {
        catalog.close();
        connections.close();
        fixture.close();
    }

    private Connection session(String name, String sql) throws SQLException {
        Connection connection = fixture.server().connect();
        connection.setClientInfo("ApplicationName", name);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return connection;
    }

    @Test
    void whoeverHasLockedARowIsNamedAndOfOtherRowsNobodyIs() throws SQLException {
        assertThat(catalog.ofRow("a")).isEmpty();
        try (Connection one = session("a person", ROW.formatted(schema, "UPDATE"))) {
            List<Holder> holders = catalog.ofRow("a");
            assertThat(holders).hasSize(1);
            assertThat(holders.get(0).application()).isEqualTo("a person");
            assertThat(holders.get(0).state()).as("another role's").isEmpty();
            assertThat(holders.get(0).since()).isLessThan(Duration.ofMinutes(1));
            assertThat(catalog.ofRow("b")).isEmpty();
            assertThat(catalog.ofTable()).isEmpty();
            one.rollback();
        }
        assertThat(catalog.ofRow("a")).isEmpty();
    }

    @Test
    void ofSeveralAllAreNamed() throws SQLException {
        String shared = ROW.formatted(schema, "SHARE");
        try (Connection one = session("one", shared);
                Connection other = session("other", shared)) {
            assertThat(catalog.ofRow("a"))
                    .extracting(Holder::application)
                    .containsExactlyInAnyOrder("one", "other");
            one.rollback();
            other.rollback();
        }
        assertThat(catalog.ofRow("a")).isEmpty();
    }

    @Test
    void whoeverHasLockedTheTableIsNamedThoughItCanNotBeRead() throws SQLException {
        String lock = "LOCK TABLE " + schema + ".state IN ACCESS EXCLUSIVE MODE";
        try (Connection one = session("a migration", lock)) {
            assertThat(catalog.ofTable())
                    .extracting(Holder::application)
                    .containsExactly("a migration");
            one.rollback();
        }
        assertThat(catalog.ofTable()).isEmpty();
    }
}
