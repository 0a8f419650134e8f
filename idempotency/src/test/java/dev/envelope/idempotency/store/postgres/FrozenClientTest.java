package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A client whose process stands still, as its server sees it. */
class FrozenClientTest {

    private static final Duration STATEMENT = Duration.ofMillis(500);
    private static final Duration IDLE = Duration.ofMillis(200);
    private static final String KNOWS_TRANSACTION_TIMEOUT =
            "SELECT current_setting('server_version_num')::int >= 170000";

    @Test
    void whoIsFrozenInTheMidstOfAStatementLosesItsTransaction() throws Exception {
        try (PostgresFixture fixture = new PostgresFixture()) {
            assumeTrue(
                    fixture.server().query(KNOWS_TRANSACTION_TIMEOUT).equals("t"),
                    "an older Postgres waits for the client to go on or be killed");
            losesItsTransaction(fixture);
        }
    }

    private static void losesItsTransaction(PostgresFixture fixture) throws Exception {
        try (Wire wire = Wire.to(fixture.server().url());
                Connection client = connect(fixture.settings(), wire)) {
            client.setAutoCommit(false);
            try (Statement lock = client.createStatement()) {
                lock.execute("SELECT pg_catalog.pg_advisory_xact_lock(4711)");
            }
            long begin = System.nanoTime();
            wire.freezeInTheNextMessage();
            CompletableFuture<Void> cutOff = CompletableFuture.runAsync(() -> sendMuch(client));

            fixture.server()
                    .await("NOT EXISTS (SELECT FROM pg_locks WHERE objid = 4711 AND granted)");
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("neither as idle nor for the statement, which has not come")
                    .isGreaterThan(STATEMENT.multipliedBy(2));
            assertThatThrownBy(cutOff::join).hasMessageContaining("transaction timeout");
        }
    }

    private static Connection connect(PostgresSettings settings, Wire wire) throws SQLException {
        PostgresSettings.Timeouts quick = TestServer.QUICK;
        return new Connector(
                        new PostgresSettings(
                                wire.url(settings.url()),
                                settings.login(),
                                settings.schema(),
                                settings.applicationId(),
                                settings.instance(),
                                1,
                                new PostgresSettings.Timeouts(
                                        quick.connect(),
                                        quick.borrow(),
                                        quick.lock(),
                                        STATEMENT,
                                        quick.socket(),
                                        IDLE)),
                        Duration.ZERO)
                .getConnection();
    }

    private static void sendMuch(Connection client) {
        try (PreparedStatement much = client.prepareStatement("SELECT length(?)")) {
            much.setString(1, "x".repeat(20_000));
            much.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What one client sends to the server, until it freezes in the midst of a message.
     *
     * <p>Threads: thread-safe.
     */
    private static final class Wire implements AutoCloseable {

        private static final int FIRST_BYTES = 100;

        private final ServerSocket listening;
        private final String host;
        private final int port;
        private volatile boolean freezes;
        private volatile Socket client = new Socket();
        private volatile Socket server = new Socket();

        private Wire(URI target) throws IOException {
            this.listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            this.host = target.getHost();
            this.port = target.getPort();
            start("wire-accept", this::connect);
        }

        static Wire to(String jdbcUrl) throws IOException {
            return new Wire(URI.create(jdbcUrl.substring("jdbc:".length())));
        }

        String url(String jdbcUrl) {
            return jdbcUrl.replace(
                    host + ":" + port,
                    listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort());
        }

        /** What follows is cut off after a few bytes, and nothing comes after it. */
        void freezeInTheNextMessage() {
            freezes = true;
        }

        private void connect() throws IOException {
            client = listening.accept();
            server = new Socket(host, port);
            start("wire-answers", this::answer);
            InputStream from = client.getInputStream();
            OutputStream to = server.getOutputStream();
            byte[] piece = new byte[8192];
            for (int length = from.read(piece); length > 0; length = from.read(piece)) {
                if (freezes) {
                    to.write(piece, 0, Math.min(length, FIRST_BYTES));
                    return;
                }
                to.write(piece, 0, length);
            }
        }

        private void answer() throws IOException {
            server.getInputStream().transferTo(client.getOutputStream());
            client.shutdownOutput();
        }

        private static void start(String name, Copying copying) {
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    copying.run();
                                } catch (IOException closed) {
                                    // as the test ends
                                }
                            },
                            name);
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            listening.close();
        }

        private interface Copying {
            void run() throws IOException;
        }
    }
}
