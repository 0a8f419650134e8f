package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperatorConnectionsTest {

    private static final String NAME = "often-asked";

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresSettings settings = fixture.settings(NAME);

    @AfterEach
    void close() {
        fixture.close();
    }

    private static void ask(OperatorConnections connections) {
        try (KeyCatalog keys = connections.keys()) {
            assertThat(keys.row("nobody")).isEmpty();
        }
    }

    private String backends() {
        return fixture.server()
                .query(
                        "SELECT string_agg(pid::text, ',' ORDER BY pid) FROM pg_stat_activity"
                                + " WHERE application_name LIKE '%"
                                + NAME
                                + "%'");
    }

    private void awaitNone() {
        fixture.server()
                .await(
                        "NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE '%"
                                + NAME
                                + "%')");
    }

    @Test
    void whoAsksSoonHasTheConnectionOfTheOneBefore() {
        try (OperatorConnections connections =
                new OperatorConnections(settings, System::nanoTime, Duration.ofMinutes(1))) {
            ask(connections);
            String first = backends();
            ask(connections);

            assertThat(backends()).isEqualTo(first).isNotEqualTo("null").doesNotContain(",");
        }
        awaitNone();
    }

    @Test
    void noneStaysOpenWhenNobodyAsks() {
        try (OperatorConnections connections =
                new OperatorConnections(settings, System::nanoTime, Duration.ofMillis(50))) {
            ask(connections);

            awaitNone();
        }
    }

    @Test
    void oneThatTheServerHasEndedIsReplaced() {
        try (OperatorConnections connections =
                new OperatorConnections(settings, System::nanoTime, Duration.ofMinutes(1))) {
            ask(connections);
            String first = backends();
            fixture.server().execute("SELECT pg_terminate_backend(" + first + ")");

            ask(connections);

            assertThat(backends()).isNotEqualTo(first);
        }
    }
}
