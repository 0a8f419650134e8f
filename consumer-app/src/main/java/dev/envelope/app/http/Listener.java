package dev.envelope.app.http;

import dev.envelope.app.config.value.HostPort;
import java.io.IOException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * An HTTP server on one address. What memory and time a caller takes is limited.
 *
 * <p>Threads: thread-safe; it has threads of its own.
 */
public final class Listener implements AutoCloseable {

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

    private static final int LEAST_THREADS = 2;
    private static final int MOST_HEADER_BYTES = 8 << 10;
    private static final int IDLE_MILLIS = 10_000;

    private final HostPort address;
    private final Server server;
    private final ServerConnector connector;
    private final Callers callers;

    /**
     * A server, not started.
     *
     * @param name of its threads
     * @param mostCallers connections that may be open
     */
    public Listener(HostPort address, String name, int mostThreads, int mostCallers) {
        this.address = address;
        QueuedThreadPool threads = new QueuedThreadPool(mostThreads, LEAST_THREADS);
        threads.setName(name);
        threads.setDaemon(true);
        this.server = new Server(threads);
        server.setStopTimeout(0);
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(MOST_HEADER_BYTES);
        http.setIdleTimeout(IDLE_MILLIS);
        http.setSendServerVersion(false);
        // A key may contain any character, and paths are compared as they were sent.
        http.setUriCompliance(UriCompliance.from(UriCompliance.AMBIGUOUS_VIOLATIONS));
        this.connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost(address.host());
        connector.setPort(address.port());
        server.addConnector(connector);
        this.callers = Callers.watch(connector, mostCallers);
    }

    /**
     * Listens from now on.
     *
     * @param handler makes what answers, which tells of each request and its answer
     * @throws AddressTakenException if it cannot listen there
     */
    public void start(Function<Callers, Handler> handler) throws AddressTakenException {
        server.setHandler(handler.apply(callers));
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

    /** Refuses a request that loopback gets under another name than its own. */
    public static void guardHost(HostPort address, Call call) {
        if (address.isLoopback() && !LOOPBACK.matcher(call.headerOr("Host", "")).matches()) {
            throw new Refused(421, "the Host header must name localhost");
        }
    }

    /** Its address, with the actual port. */
    public String url() {
        return "http://" + new HostPort(address.host(), connector.getLocalPort());
    }

    @Override
    public void close() {
        LifeCycle.stop(server);
    }
}
