package dev.envelope.app.ops.http;

import static dev.envelope.app.ops.api.Route.get;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.StatusDocument;
import dev.envelope.app.ops.api.Answer;
import dev.envelope.app.ops.api.Api;
import dev.envelope.app.ops.api.Call;
import dev.envelope.app.ops.api.Remembered;
import dev.envelope.app.ops.api.Route;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The HTTP server for probes, metrics and the API. What memory and time a caller takes is limited.
 *
 * <p>Threads: thread-safe; it has threads of its own, and no thread of the engine waits for them.
 */
public final class OperationsServer implements AutoCloseable {

    /** A header of each answer, by which clients recognize an envelope process. */
    public static final String MARK = "Envelope-Api";

    /** Those that answer, and some for probes and for the server itself. */
    private static final int MOST_THREADS = Responder.MOST + 8;

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

    private final Server server;
    private final ServerConnector connector;
    private final HostPort address;
    private final Access access;
    private final Callers callers;

    private OperationsServer(HostPort address, Access access, List<Route> routes) {
        this.address = address;
        this.access = access;
        QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, LEAST_THREADS);
        threads.setName("envelope-http");
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
        this.callers = Callers.watch(connector);
        server.setHandler(new Responder(access, routes, callers));
    }

    /**
     * Starts a server.
     *
     * @param tokens any of which allows changes, and requests from other machines
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
                new OperationsServer(
                        address, new Access(address, tokens), routes(status, metrics, api));
        server.start();
        return server;
    }

    private void start() throws AddressTakenException {
        try {
            connector.open();
        } catch (IOException e) {
            throw new AddressTakenException(address, e);
        }
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException("the operations server does not start", e);
        }
        callers.look();
    }

    private static List<Route> routes(
            Supplier<ProcessStatus> status, Supplier<String> metrics, Api api) {
        Supplier<ProcessStatus> glance = Remembered.of(status);
        List<Route> routes = new ArrayList<>(api.routes());
        routes.add(get("/startupz", it -> probe(glance.get().notStartedBecause())));
        routes.add(get("/livez", it -> probe(glance.get().notLiveBecause())));
        routes.add(get("/readyz", it -> probe(glance.get().notReadyBecause())));
        routes.add(get("/metrics", Remembered.text(PROMETHEUS, metrics)));
        routes.add(get("/status", Remembered.json(() -> StatusDocument.status(status.get()))));
        routes.add(get("/", OperationsServer::root));
        routes.add(get("/page/{file}", Page::file));
        routes.add(get("/plain", it -> PlainPage.of(glance.get(), api.findings(), api.events())));
        return routes;
    }

    private static Answer probe(List<String> reasons) {
        return Answer.json(reasons.isEmpty() ? 200 : 503, StatusDocument.probe(reasons));
    }

    private static Answer root(Call call) {
        return call.headerOr("Accept", "").contains("text/html")
                ? Page.index()
                : Answer.text(200, "text/plain", POINTER);
    }

    /** Accepts these tokens, and no others. */
    public void admit(Collection<Secret> tokens) {
        access.admit(tokens);
    }

    /** Its address, with the actual port. */
    public String url() {
        return "http://" + new HostPort(address.host(), connector.getLocalPort());
    }

    @Override
    public void close() {
        LifeCycle.stop(server);
    }

    /** Another process listens there, or it is no address of this machine. */
    public static final class AddressTakenException extends Exception {

        private static final long serialVersionUID = 1L;

        AddressTakenException(HostPort address, Throwable cause) {
            super(
                    "cannot listen on " + address + ": it is in use, or no address of this machine",
                    cause);
        }
    }
}
