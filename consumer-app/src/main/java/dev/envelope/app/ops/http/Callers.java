package dev.envelope.app.ops.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The connections that are open. For each beyond a bound the one goes that has waited longest for a
 * request, so whoever opens hundreds and says nothing takes no place from those who ask. One on
 * which no whole request has come for some seconds is closed, whether or not a byte of it drips in
 * now and then.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
final class Callers implements Connection.Listener, LifeCycle.Listener {

    private static final int MOST = 256;
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /** How many requests have come on it, and since when it has waited for the next. */
    private record Waiting(long requests, long sinceNanos) {}

    private final Server server;
    private final LongSupplier nanoTime;
    private final Map<Connection, Waiting> open = new ConcurrentHashMap<>();

    private Callers(Server server, LongSupplier nanoTime) {
        this.server = server;
        this.nanoTime = nanoTime;
    }

    /** Watches the connections of a server that is not started yet. */
    static void watch(Server server) {
        server.addEventListener(new Callers(server, System::nanoTime));
    }

    @Override
    public void lifeCycleStarting(LifeCycle its) {
        for (var connector : server.getConnectors()) {
            if (connector instanceof AbstractConnector listened) {
                listened.addEventListener(this);
                listened.addBean(this);
            }
        }
    }

    @Override
    public void lifeCycleStarted(LifeCycle its) {
        if (its == server) {
            look();
        }
    }

    @Override
    public void onOpened(Connection connection) {
        open.put(connection, new Waiting(0, nanoTime.getAsLong()));
        if (open.size() > MOST) {
            closeLongestWaiting();
        }
    }

    @Override
    public void onClosed(Connection connection) {
        open.remove(connection);
    }

    private void closeLongestWaiting() {
        open.entrySet().stream()
                .filter(it -> !isBusy(it.getKey()))
                .min((a, b) -> Long.signum(a.getValue().sinceNanos - b.getValue().sinceNanos))
                .ifPresent(it -> it.getKey().close());
    }

    private static boolean isBusy(Connection connection) {
        return connection.getMessagesIn() > connection.getMessagesOut();
    }

    private void look() {
        long now = nanoTime.getAsLong();
        open.forEach((connection, waiting) -> look(connection, waiting, now));
        Scheduler scheduler = server.getScheduler();
        if (scheduler.isRunning()) {
            scheduler.schedule(this::look, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void look(Connection connection, Waiting waiting, long now) {
        long requests = connection.getMessagesIn();
        if (isBusy(connection) || requests != waiting.requests) {
            open.replace(connection, waiting, new Waiting(requests, now));
        } else if (now - waiting.sinceNanos > DEADLINE.toNanos()) {
            connection.close();
        }
    }
}
