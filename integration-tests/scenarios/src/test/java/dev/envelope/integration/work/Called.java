package dev.envelope.integration.work;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/**
 * A server that a consumer posts to: it notes what it has said yes to.
 *
 * <p>Threads: guarded by this.
 */
final class Called implements AutoCloseable {

    /**
     * A request.
     *
     * @param id by which the consumer tells its message
     */
    record Call(String key, String value, String id) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Call> done = new ArrayList<>();
    private ToIntFunction<Call> status;

    /**
     * @param status of the answer to a request
     */
    Called(ToIntFunction<Call> status) {
        this.status = status;
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/receipts";
    }

    synchronized void answers(ToIntFunction<Call> other) {
        status = other;
    }

    /** What it has said yes to, in that order. */
    synchronized List<Call> done() {
        return List.copyOf(done);
    }

    /** How many different messages these are. */
    synchronized int messages() {
        Set<String> ids = new HashSet<>();
        done.forEach(it -> ids.add(it.id()));
        return ids.size();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String value = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Call call =
                new Call(
                        exchange.getRequestHeaders().getFirst("Envelope-Key"),
                        value,
                        exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        int answered = judged(call);
        if (answered == 503) {
            exchange.getResponseHeaders().set("Retry-After", "1");
        }
        exchange.sendResponseHeaders(answered, -1);
        exchange.close();
    }

    private synchronized int judged(Call call) {
        int answered = status.applyAsInt(call);
        if (answered / 100 == 2) {
            done.add(call);
        }
        return answered;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
