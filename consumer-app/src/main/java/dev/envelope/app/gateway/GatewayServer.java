package dev.envelope.app.gateway;

import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.value.HostPort;
import dev.envelope.app.config.value.Secret;
import dev.envelope.app.http.AddressTakenException;
import dev.envelope.app.http.Callers;
import dev.envelope.app.http.Listener;
import java.time.Duration;
import java.util.Collection;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server of the gateway.
 *
 * <p>Threads: thread-safe; it has threads of its own.
 */
final class GatewayServer implements AutoCloseable {

    /** No thread waits for anybody: these are for parsing and writing. */
    private static final int MOST_THREADS = 16;

    /** Connections besides those that may wait. */
    private static final int MORE_CALLERS = 256;

    private static final Duration LAST_ANSWERS = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(60);

    /** How many bytes and callers there may be. */
    record Limits(int waiting, long bytes, int body) {

        /** Of the bytes: of what arrives, of what waits for callers to read it. */
        long part() {
            return GatewayKeys.part(bytes);
        }
    }

    private final Listener listener;
    private final GatewayAccess access;
    private final GatewayHandler handler;

    private GatewayServer(Listener listener, GatewayAccess access, GatewayHandler handler) {
        this.listener = listener;
        this.access = access;
        this.handler = handler;
    }

    /**
     * Starts a server, which refuses all requests until {@link #begin}.
     *
     * @param tokens any of which is wanted of callers; none for no token
     * @param tls null for HTTP without encryption
     * @throws AddressTakenException if it cannot listen there
     */
    static GatewayServer open(
            HostPort address,
            Collection<Secret> tokens,
            GatewayHandler.Apis apis,
            Limits limits,
            GatewayMeters meters,
            SslContextFactory.@Nullable Server tls)
            throws AddressTakenException {
        Callers.Limits callers = new Callers.Limits(2 * limits.waiting + MORE_CALLERS, IDLE);
        Listener listener = new Listener(address, "envelope-gateway", MOST_THREADS, callers, tls);
        GatewayAccess access = new GatewayAccess(address, tokens);
        GatewayHandler handler =
                new GatewayHandler(
                        access,
                        apis,
                        new Body.Limits(limits.body, new Space(limits.part())),
                        new Space(limits.part()),
                        meters,
                        listener::execute,
                        listener.callers());
        listener.start(handler);
        return new GatewayServer(listener, access, handler);
    }

    /** Takes requests from now on. */
    void begin() {
        handler.begin();
    }

    /** Refuses requests from now on; those that have begun are answered. */
    void end() {
        handler.end();
    }

    /** Accepts these tokens, and no others. */
    void admit(Collection<Secret> tokens) {
        access.admit(tokens);
    }

    /** Its address, with the actual port. */
    String url() {
        return listener.url();
    }

    /** Ends; answers that are there are written first, if their callers read them. */
    @Override
    public void close() {
        handler.end();
        handler.awaitLastAnswers(LAST_ANSWERS);
        listener.close();
    }
}
