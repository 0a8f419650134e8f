package dev.envelope.app.ops;

import dev.envelope.app.config.value.HostPort;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.util.JavalinBindException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves probes, metrics and status. It only reads, answers GET alone, and a caller can neither
 * make it hold much nor wait long.
 *
 * <p>Threads: thread-safe; it has threads of its own, and none of the engine's ever waits for it.
 */
public final class OperationsServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OperationsServer.class);
    private static final int MOST_THREADS = 8;
    private static final int LEAST_THREADS = 2;
    private static final int MOST_CONNECTIONS = 64;
    private static final int MOST_HEADER_BYTES = 8 << 10;
    private static final int IDLE_MILLIS = 10_000;
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private static final Map<String, String> HEADERS =
            Map.of(
                    "Cache-Control", "no-store",
                    "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'",
                    "Cross-Origin-Resource-Policy", "same-origin",
                    "Referrer-Policy", "no-referrer",
                    "X-Content-Type-Options", "nosniff",
                    "X-Frame-Options", "DENY");

    private static final String POINTER =
            """
            envelope

            /livez    200 while the poll loop turns
            /readyz   200 while records are taken and saved, else 503 with the reasons
            /metrics  for Prometheus
            /status   everything, as JSON
            """;

    private final Javalin javalin;
    private final HostPort address;
    private final Supplier<ProcessStatus> status;
    private final Supplier<String> metrics;

    private OperationsServer(
            HostPort address, Supplier<ProcessStatus> status, Supplier<String> metrics) {
        this.address = address;
        this.status = status;
        this.metrics = metrics;
        this.javalin = Javalin.create(this::configure);
    }

    /**
     * Begins to serve.
     *
     * @param metrics what {@code /metrics} answers
     * @throws AddressTakenException if it cannot listen there
     */
    public static OperationsServer open(
            HostPort address, Supplier<ProcessStatus> status, Supplier<String> metrics)
            throws AddressTakenException {
        OperationsServer server = new OperationsServer(address, status, metrics);
        try {
            server.javalin.start(address.host(), address.port());
            return server;
        } catch (JavalinBindException e) {
            throw new AddressTakenException(address, e);
        }
    }

    /** Where it listens, with the port that it got. */
    public String url() {
        return "http://" + new HostPort(address.host(), javalin.port());
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.maxRequestSize = 1_024;
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.jsonMapper(new OperationsJson());
        QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, LEAST_THREADS);
        threads.setName("envelope-http");
        threads.setDaemon(true);
        config.jetty.threadPool = threads;
        config.jetty.modifyServer(OperationsServer::limit);
        config.jetty.modifyHttpConfiguration(
                http -> {
                    http.setRequestHeaderSize(MOST_HEADER_BYTES);
                    http.setIdleTimeout(IDLE_MILLIS);
                    http.setSendServerVersion(false);
                    http.setSendXPoweredBy(false);
                });
        config.routes.before(this::guard);
        config.routes.exception(Exception.class, OperationsServer::failed);
        config.routes.get("/", context -> context.contentType("text/plain").result(POINTER));
        config.routes.get("/livez", context -> probe(context, status.get().notLiveBecause()));
        config.routes.get("/readyz", context -> probe(context, status.get().notReadyBecause()));
        config.routes.get(
                "/metrics", context -> context.contentType(PROMETHEUS).result(metrics.get()));
        config.routes.get("/status", context -> context.json(StatusDocument.status(status.get())));
    }

    private static void limit(Server server) {
        server.setStopTimeout(0);
        server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, server));
    }

    /** Refuses what is no GET, and pages of others that were led here by a name of theirs. */
    private void guard(Context context) {
        HEADERS.forEach(context::header);
        HandlerType method = context.method();
        if (!method.equals(HandlerType.GET) && !method.equals(HandlerType.HEAD)) {
            context.header("Allow", "GET, HEAD");
            context.status(405).result("only GET\n").skipRemainingHandlers();
        } else if (address.isLoopback() && !HostHeader.isLoopback(context.header("Host"))) {
            context.status(421).result("only asked for as localhost\n").skipRemainingHandlers();
        }
    }

    private static void failed(Exception e, Context context) {
        log.warn("{} could not be answered", context.path(), e);
        context.status(500).result("could not be answered, see the log\n");
    }

    private static void probe(Context context, List<String> reasons) {
        context.status(reasons.isEmpty() ? 200 : 503).json(StatusDocument.probe(reasons));
    }

    @Override
    public void close() {
        javalin.stop();
    }

    /** Says that somebody else listens there, or that it is no address of this machine. */
    public static final class AddressTakenException extends Exception {

        private static final long serialVersionUID = 1L;

        AddressTakenException(HostPort address, Throwable cause) {
            super(
                    "cannot listen on " + address + ": another process does, or it is not ours",
                    cause);
        }
    }
}
