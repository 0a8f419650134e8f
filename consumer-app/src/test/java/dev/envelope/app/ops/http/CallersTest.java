package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;

class CallersTest {

    @Test
    void aBurstOfCallersFindsRoomToWaitIn() throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        assertThat(Callers.watch(connector)).isNotNull();

        server.start();

        try {
            assertThat(connector.getAcceptQueueSize()).isGreaterThan(500);
        } finally {
            server.stop();
        }
    }
}
