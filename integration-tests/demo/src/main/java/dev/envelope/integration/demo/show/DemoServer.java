package dev.envelope.integration.demo.show;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.envelope.integration.stack.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The demo's own page, on loopback. Its buttons work only from the page itself: by a token that is
 * in it, which no other site can read.
 *
 * <p>Threads: thread-safe; what is shown is volatile.
 */
public final class DemoServer implements AutoCloseable {

    /** What buttons send the page's token in. */
    public static final String TOKEN_HEADER = "X-Demo-Token";

    private static final int THREADS = 8;
    private static final Map<String, String> TYPES =
            Map.of("html", "text/html", "css", "text/css", "js", "text/javascript");

    /** Something that the page can show; before the first one it says that all is being started. */
    public interface Shown {

        Object now();

        /** What the buttons do and then say, by their names. */
        Map<String, Supplier<String>> buttons();
    }

    private final JsonMapper json = JsonMapper.builder().build();
    private final String token = UUID.randomUUID().toString();
    private final HttpServer server;
    private final String authority;
    private final Map<String, String> files;
    private volatile @Nullable Shown shown;

    private DemoServer(HttpServer server, String demo) {
        this.server = server;
        this.files =
                Map.of(
                        "/",
                        demo + ".html",
                        "/play.js",
                        demo + ".js",
                        "/demo.js",
                        "demo.js",
                        "/demo.css",
                        "demo.css");
        this.authority = "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Serves the page of a demo. */
    public static DemoServer start(String demo) {
        try {
            HttpServer http =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()),
                            0);
            DemoServer server = new DemoServer(http, demo);
            http.createContext("/", server::answer);
            http.setExecutor(
                    Executors.newFixedThreadPool(
                            THREADS,
                            task -> {
                                Thread thread = new Thread(task, "demo-page");
                                thread.setDaemon(true);
                                return thread;
                            }));
            http.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("the demo's page can't be served", e);
        }
    }

    public String url() {
        return "http://" + authority;
    }

    public void show(Shown what) {
        shown = what;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (!isHere(exchange)) {
                send(exchange, 403, "txt", "by another name than its own\n");
            } else if (exchange.getRequestMethod().equals("POST")) {
                press(exchange, path);
            } else if (!exchange.getRequestMethod().equals("GET")) {
                send(exchange, 405, "txt", "GET or POST\n");
            } else if (path.equals("/now")) {
                Shown now = shown;
                send(
                        exchange,
                        200,
                        "json",
                        now == null ? "null" : json.writeValueAsString(now.now()));
            } else if (files.containsKey(path)) {
                String name = files.get(path);
                String type = name.substring(name.lastIndexOf('.') + 1);
                send(exchange, 200, type, file(name).replace("${token}", token));
            } else {
                send(exchange, 404, "txt", "no such page\n");
            }
        }
    }

    /** A page of another site, whose name leads here, is not let in. */
    private boolean isHere(HttpExchange exchange) {
        @Nullable String host = exchange.getRequestHeaders().getFirst("Host");
        @Nullable String origin = exchange.getRequestHeaders().getFirst("Origin");
        return host != null
                && Set.of(authority, authority.replace("127.0.0.1", "localhost")).contains(host)
                && (origin == null || origin.equals("http://" + host));
    }

    private void press(HttpExchange exchange, String path) throws IOException {
        @Nullable String given = exchange.getRequestHeaders().getFirst(TOKEN_HEADER);
        if (given == null || !isToken(given)) {
            send(exchange, 403, "txt", "only from the page itself\n");
            return;
        }
        Shown now = shown;
        @Nullable Supplier<String> button = now == null ? null : now.buttons().get(path);
        if (button == null) {
            send(exchange, now == null ? 503 : 404, "txt", "there is nothing to press yet\n");
            return;
        }
        try {
            send(exchange, 200, "txt", button.get() + "\n");
        } catch (RuntimeException e) {
            send(exchange, 409, "txt", e.getMessage() + "\n");
        }
    }

    private boolean isToken(String given) {
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int code, String type, String text)
            throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        String media =
                type.equals("json")
                        ? "application/json"
                        : TYPES.getOrDefault(type, "text/plain") + "; charset=utf-8";
        Map.of(
                        "Content-Type",
                        media,
                        "Cache-Control",
                        "no-store",
                        "X-Content-Type-Options",
                        "nosniff",
                        "Referrer-Policy",
                        "no-referrer",
                        "Content-Security-Policy",
                        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src"
                                + " 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
                                + " 'none'")
                .forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(code, body.length);
        exchange.getResponseBody().write(body);
    }

    private static String file(String name) throws IOException {
        try (InputStream file = DemoServer.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IOException(name + " is missing");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
