package dev.envelope.app.commands.remote;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.envelope.app.commands.EnvelopeCommand;
import dev.envelope.app.ops.http.OperationsServer;
import dev.envelope.app.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A process that answers what a test says, and a command that asks it. */
abstract class RemoteFixture {

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final Map<String, String> answers = new HashMap<>();
    final List<String> asked = new ArrayList<>();
    HttpServer server;
    int status = 200;
    boolean isOurs = true;
    volatile int endsAfter = Integer.MAX_VALUE;
    boolean isScreen;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
                    byte[] answer =
                            answers.getOrDefault(exchange.getRequestURI().getPath(), "{}")
                                    .getBytes(StandardCharsets.UTF_8);
                    if (isOurs) {
                        exchange.getResponseHeaders().add(OperationsServer.MARK, "1");
                    }
                    boolean hasEnded = asked.size() > endsAfter;
                    exchange.sendResponseHeaders(hasEnded ? 503 : status, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    int execute(String... arguments) {
        return executeAt("http://127.0.0.1:" + server.getAddress().getPort(), arguments);
    }

    int executeAt(String url, String... arguments) {
        List<String> line = new ArrayList<>(List.of(arguments));
        line.add("--url");
        line.add(url);
        Terminal terminal =
                new Terminal(new PrintWriter(out, true), new PrintWriter(err, true), isScreen);
        return EnvelopeCommand.on(terminal).execute(line.toArray(String[]::new));
    }

    void awaitWords(Thread looking, String words) throws InterruptedException {
        for (int i = 0; i < 100 && !out.toString().contains(words); i++) {
            looking.join(100);
        }
        assertThat(out.toString()).contains(words);
    }
}
