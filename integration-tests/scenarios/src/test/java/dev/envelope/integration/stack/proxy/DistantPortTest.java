package dev.envelope.integration.stack.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DistantPortTest {

    private static final Duration ROUND_TRIP = Duration.ofMillis(200);

    private EchoServer server;
    private DistantPort port;

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        port = DistantPort.start(server.port(), ROUND_TRIP);
    }

    @AfterEach
    void stop() throws IOException {
        port.close();
        server.close();
    }

    @Test
    void anAnswerTakesARoundTrip() throws IOException {
        try (Socket client = connect()) {
            assertThat(echoed(client, 1)).isGreaterThanOrEqualTo(ROUND_TRIP);
        }
    }

    /** One after the other, its 128 pieces would take thirteen seconds each way. */
    @Test
    void muchIsUnderWayAtOnce() throws IOException {
        try (Socket client = connect()) {
            assertThat(echoed(client, 8 << 20)).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void anEndIsPassedOn() throws IOException {
        try (Socket client = connect()) {
            client.shutdownOutput();

            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port.port());
    }

    /** How long it takes until that many bytes have come back, which they must unchanged. */
    private static Duration echoed(Socket client, int length) throws IOException {
        byte[] sent = new byte[length];
        for (int i = 0; i < length; i++) {
            sent[i] = (byte) (i * 31);
        }
        long begun = System.nanoTime();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(client, sent));
        byte[] received = client.getInputStream().readNBytes(length);
        sending.join();
        assertThat(Arrays.equals(received, sent)).isTrue();
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static void send(Socket client, byte[] bytes) {
        try {
            OutputStream out = client.getOutputStream();
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
