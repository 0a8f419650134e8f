package dev.envelope.integration.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;

/**
 * Tells when a starting broker can be used: its port answers, and the controller counts it among
 * the cluster's nodes.
 *
 * <p>The port comes first, because a client that meets a closed one complains in the log.
 *
 * <p>Threads: immutable.
 */
final class BrokerReadiness {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final ChildProcess process;
    private final int port;

    BrokerReadiness(ChildProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    void await(Duration patience) {
        Waiting.until(patience, PAUSE, this::answers, this::failure);
        Map<String, Object> client =
                Map.of(
                        "bootstrap.servers", "127.0.0.1:" + port,
                        "default.api.timeout.ms", "2000",
                        "request.timeout.ms", "1000");
        try (Admin admin = Admin.create(client)) {
            Waiting.until(patience, PAUSE, () -> isMember(admin), this::failure);
        }
    }

    private boolean answers() {
        failIfEnded();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private boolean isMember(Admin admin) {
        failIfEnded();
        try {
            return !admin.describeCluster().nodes().get(2, TimeUnit.SECONDS).isEmpty();
        } catch (ExecutionException | TimeoutException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(failure(), e);
        }
    }

    private void failIfEnded() {
        if (!process.isAlive()) {
            throw new IllegalStateException(failure());
        }
    }

    private String failure() {
        return "the broker does not start; the end of its log:\n" + process.logTail(40);
    }
}
