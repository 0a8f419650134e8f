package dev.envelope.app.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;

class CallersTest {

    private static final Callers.Limits LIMITS = new Callers.Limits(256, Duration.ofSeconds(60));

    @Test
    void aBurstOfCallersFindsRoomToWaitIn() throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        assertThat(Callers.watch(connector, LIMITS)).isNotNull();

        server.start();

        try {
            assertThat(connector.getAcceptQueueSize()).isGreaterThan(500);
        } finally {
            server.stop();
        }
    }

    /** Jetty tells of a connection's end some time after it was closed. */
    @Test
    void ofABurstThoseGoThatHaveWaitedLongest() {
        AtomicLong now = new AtomicLong();
        Callers callers =
                new Callers(LIMITS, new ScheduledExecutorScheduler(), now::incrementAndGet);
        List<Integer> closed = new ArrayList<>();

        for (int i = 0; i < 300; i++) {
            callers.onOpened(connection(i, closed));
        }

        assertThat(closed).isEqualTo(IntStream.range(0, 300 - 256).boxed().toList());
    }

    private static Connection connection(int number, List<Integer> closed) {
        return (Connection)
                Proxy.newProxyInstance(
                        Connection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "close" -> {
                                        closed.add(number);
                                        yield null;
                                    }
                                    case "getBytesIn" -> 0L;
                                    case "hashCode" -> number;
                                    case "equals" -> proxy == arguments[0];
                                    default -> null;
                                });
    }
}
