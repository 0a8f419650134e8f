package dev.envelope.app.ops.http;

import static dev.envelope.app.ops.api.Route.get;

import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.http.AddressTakenException;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Callers;
import dev.envelope.app.http.Listener;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.StatusDocument;
import dev.envelope.app.ops.api.Api;
import dev.envelope.app.ops.api.Remembered;
import dev.envelope.app.ops.api.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * The HTTP server for probes, metrics and the API.
 *
 * <p>Threads: thread-safe; it has threads of its own, and no thread of the engine waits for them.
 */
public final class OperationsServer implements AutoCloseable {

    /** A header of each answer, by which clients recognize an envelope process. */
    public static final String MARK = "Envelope-Api";

    /** Those that answer, and some for probes and for the server itself. */
    private static final int MOST_THREADS = Responder.MOST + 8;

    private static final Callers.Limits CALLERS = new Callers.Limits(256, Duration.ofSeconds(5));
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

    private final Listener listener;
    private final Access access;

    private OperationsServer(HostPort address, Access access) {
        this.access = access;
        this.listener = new Listener(address, "envelope-http", MOST_THREADS, CALLERS, null);
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
        List<Route> routes = routes(status, metrics, api);
        OperationsServer server = new OperationsServer(address, new Access(address, tokens));
        server.listener.start(new Responder(server.access, routes, server.listener.callers()));
        return server;
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
        return listener.url();
    }

    @Override
    public void close() {
        listener.close();
    }
}
