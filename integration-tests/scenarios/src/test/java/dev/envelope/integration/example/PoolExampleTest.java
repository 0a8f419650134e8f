package dev.envelope.integration.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.workers.IndependentPool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example of the guide, against a server that hangs up now and then. */
@Timeout(60)
class PoolExampleTest {

    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void eachQuestionIsAnsweredThoughConnectionsBreak() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread accepting = new Thread(() -> accept(server), "server");
            accepting.setDaemon(true);
            accepting.start();
            InetSocketAddress address =
                    new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
            try (IndependentPool<String, String> pool = PoolExample.start(address)) {
                List<CompletableFuture<String>> answers = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    answers.add(PoolExample.ask(pool, "question " + i));
                }
                for (int i = 0; i < 40; i++) {
                    assertThat(answers.get(i).get(30, TimeUnit.SECONDS))
                            .isEqualTo("question " + i + "!");
                }
                assertThat(pool.inspect().get("worker_restarts")).isNotEqualTo(0L);
            }
        }
    }

    private void accept(ServerSocket server) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread answering = new Thread(() -> answer(socket), "connection");
                answering.setDaemon(true);
                answering.start();
            } catch (IOException e) {
                return; // the test has ended
            }
        }
    }

    private void answer(Socket socket) {
        try (socket;
                BufferedReader lines =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null && asked.incrementAndGet() % 10 != 0) { // then it hangs up
                socket.getOutputStream().write((line + "!\n").getBytes(StandardCharsets.UTF_8));
                line = lines.readLine();
            }
        } catch (IOException e) {
            // the client has hung up
        }
    }
}
