package dev.envelope.app.http;

import dev.envelope.app.config.value.HostPort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server on one address. What memory and time a caller takes is limited.
 *
 * <p>Threads: thread-safe; it has threads of its own.
 */
public final class Listener implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Listener.class);

    /** Headers of every answer. */
    public static final HttpFields HEADERS =
            HttpFields.build()
                    .put("Cache-Control", "no-store")
                    .put("Cross-Origin-Resource-Policy", "same-origin")
                    .put("Referrer-Policy", "no-referrer")
                    .put("X-Content-Type-Options", "nosniff")
                    .put("X-Frame-Options", "DENY")
                    .asImmutable();

    /** The hosts of loopback. A web page that reaches it by DNS rebinding sends its own name. */
    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|\\[::1]|127(\\.\\d{1,3}){3})(:\\d{1,5})?");

    private static final Duration STOP = Duration.ofSeconds(5);
    private static final int LEAST_THREADS = 2;
    private static final int MOST_HEADER_BYTES = 8 << 10;
    private static final int IDLE_MILLIS = 10_000;

    private final HostPort address;
    private final String scheme;
    private final Server server;
    private final ServerConnector connector;
    private final Callers callers;

    /**
     * A server, not started.
     *
     * @param name of its threads
     * @param tls null for HTTP without encryption
     */
    public Listener(
            HostPort address,
            String name,
            int mostThreads,
            Callers.Limits limits,
            SslContextFactory.@Nullable Server tls) {
        this.address = address;
        QueuedThreadPool threads = new QueuedThreadPool(mostThreads, LEAST_THREADS);
        threads.setName(name);
        threads.setDaemon(true);
        this.server = new Server(threads);
        server.setStopTimeout(0);
        server.setErrorHandler(Listener::refuse);
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(MOST_HEADER_BYTES);
        http.setIdleTimeout(IDLE_MILLIS);
        http.setSendServerVersion(false);
        // A key may contain any character, and paths are compared as they were sent.
        http.setUriCompliance(UriCompliance.from(UriCompliance.AMBIGUOUS_VIOLATIONS));
        HttpConnectionFactory plain = new HttpConnectionFactory(http);
        this.scheme = tls == null ? "http" : "https";
        this.connector =
                tls == null
                        ? new ServerConnector(server, plain)
                        : new ServerConnector(
                                server, new SslConnectionFactory(tls, "http/1.1"), plain);
        connector.setIdleTimeout(limits.idle().multipliedBy(2).toMillis()); // callers come first
        connector.setHost(address.host());
        connector.setPort(address.port());
        server.addConnector(connector);
        this.callers = Callers.watch(connector, limits);
    }

    /** Answers what is no request by HTTP, and reaches no handler. */
    private static boolean refuse(Request request, Response response, Callback callback) {
        Object why = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
        Answer answer = Answer.problem(response.getStatus(), String.valueOf(why));
        answer.begin(response, HEADERS);
        response.write(true, ByteBuffer.wrap(answer.bytes()), callback);
        return true;
    }

    /**
     * Listens from now on.
     *
     * @param handler answers, and tells {@link #callers} of each request and its answer
     * @throws AddressTakenException if it cannot listen there
     */
    public void start(Handler handler) throws AddressTakenException {
        server.setHandler(handler);
        try {
            connector.open();
        } catch (IOException e) {
            throw new AddressTakenException(address, e);
        }
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException("the server on " + address + " does not start", e);
        }
        callers.look();
    }

    public Callers callers() {
        return callers;
    }

    /** Refuses a request that loopback gets under another name than its own. */
    public static void guardHost(HostPort address, Call call) {
        if (address.isLoopback() && !LOOPBACK.matcher(call.headerOr("Host", "")).matches()) {
            throw new Refused(421, "the Host header must name localhost");
        }
    }

    /** Its address, with the actual port. */
    public String url() {
        return scheme + "://" + new HostPort(address.host(), connector.getLocalPort());
    }

    /** Runs what answers requests, on its threads. */
    public void execute(Runnable task) {
        server.getThreadPool().execute(task);
    }

    /** Jetty may wait for ever for a thread that answers a caller who has gone. */
    @Override
    public void close() {
        Thread stopping = new Thread(() -> LifeCycle.stop(server), "envelope-http-stop");
        stopping.setDaemon(true);
        stopping.start();
        try {
            stopping.join(STOP.toMillis());
            if (stopping.isAlive()) {
                log.warn("the HTTP server does not end within {} s", STOP.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
