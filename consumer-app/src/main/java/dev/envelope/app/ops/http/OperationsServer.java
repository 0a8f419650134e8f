package dev.envelope.app.ops.http;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.StatusDocument;
import dev.envelope.app.ops.api.Api;
import dev.envelope.app.ops.api.Problem;
import dev.envelope.app.ops.api.Remembered;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.util.JavalinBindException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves probes, metrics and the API. A caller can neither make it hold much nor wait long.
 *
 * <p>Threads: thread-safe; it has threads of its own, and none of the engine's ever waits for it.
 */
public final class OperationsServer implements AutoCloseable {

    /** A header of each answer: by it whoever asks knows what answers. */
    public static final String MARK = "Envelope-Api";

    private static final Logger log = LoggerFactory.getLogger(OperationsServer.class);

    /** Beyond those that answer: for probes, and for the server itself. */
    private static final int MOST_THREADS = Reserve.MOST + 8;

    private static final int LEAST_THREADS = 2;
    private static final int MOST_HEADER_BYTES = 8 << 10;
    private static final int IDLE_MILLIS = 10_000;
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private static final String POINTER =
            """
            envelope

            /startupz 200 once there is an engine
            /livez    200 while the poll loop turns
            /readyz   200 while records are taken and saved, else 503 with the reasons
            /metrics  for Prometheus
            /api      status, partitions, stuck, keys, parked, pool, config: as JSON
            """;

    private final Javalin javalin;
    private final HostPort address;
    private final Access access;
    private final Api api;
    private final Supplier<ProcessStatus> status;
    private final Supplier<ProcessStatus> glance;
    private final Supplier<String> metrics;

    private OperationsServer(
            HostPort address,
            Access access,
            Supplier<ProcessStatus> status,
            Supplier<String> metrics,
            Api api) {
        this.address = address;
        this.access = access;
        this.api = api;
        this.status = status;
        this.glance = Remembered.of(status);
        this.metrics = metrics;
        this.javalin = Javalin.create(this::configure);
    }

    /**
     * Begins to serve.
     *
     * @param tokens for what changes something, and for callers from elsewhere; any of them
     * @param metrics what {@code /metrics} answers
     * @throws AddressTakenException if it cannot listen there
     */
    public static OperationsServer open(
            HostPort address,
            Collection<Secret> tokens,
            Supplier<ProcessStatus> status,
            Supplier<String> metrics,
            Api api)
            throws AddressTakenException {
        OperationsServer server =
                new OperationsServer(address, new Access(address, tokens), status, metrics, api);
        try {
            server.javalin.start(address.host(), address.port());
            return server;
        } catch (JavalinBindException e) {
            throw new AddressTakenException(address, e);
        }
    }

    /** From now on these tokens are good, and no others. */
    public void admit(Collection<Secret> tokens) {
        access.admit(tokens);
    }

    /** Where it listens, with the port that it got. */
    public String url() {
        return "http://" + new HostPort(address.host(), javalin.port());
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
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
        config.routes.before(access::guard);
        config.routes.exception(HttpResponseException.class, OperationsServer::refused);
        config.routes.exception(Exception.class, OperationsServer::failed);
        config.routes.get("/", OperationsServer::root);
        config.routes.get("/page/{file}", Page::file);
        config.routes.get("/plain", this::plain);
        config.routes.get("/startupz", context -> probe(context, glance.get().notStartedBecause()));
        config.routes.get("/livez", context -> probe(context, glance.get().notLiveBecause()));
        config.routes.get("/readyz", context -> probe(context, glance.get().notReadyBecause()));
        config.routes.get("/metrics", Remembered.text(PROMETHEUS, metrics));
        config.routes.get("/status", Remembered.json(() -> StatusDocument.status(status.get())));
        api.addTo(config.routes);
        config.routes.after(OperationsServer::sayWhenToComeAgain);
    }

    private void plain(Context context) {
        context.contentType("text/html; charset=utf-8")
                .result(PlainPage.of(glance.get(), api.findings(), api.events()));
    }

    private static void root(Context context) {
        @Nullable String accepted = context.header("Accept");
        if (accepted != null && accepted.contains("text/html")) {
            Page.index(context);
        } else {
            context.contentType("text/plain").result(POINTER);
        }
    }

    private static void limit(Server server) {
        server.setStopTimeout(0);
        server.setHandler(new Reserve(Callers.watch(server)));
    }

    private static void failed(Exception e, Context context) {
        log.warn("{} could not be answered", context.path(), e);
        Problem.answer(context, 500, "could not be answered, see the log");
    }

    private static void refused(HttpResponseException e, Context context) {
        Problem.answer(context, e.getStatus(), String.valueOf(e.getMessage()));
    }

    private static void sayWhenToComeAgain(Context context) {
        if (context.statusCode() == 503) {
            context.header("Retry-After", "1");
        }
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
