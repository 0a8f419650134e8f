package dev.envelope.app.ops.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The connections that are open. For each beyond a bound the one goes that has waited longest for a
 * request, so whoever opens hundreds and says nothing takes no place from those who ask. One on
 * which no whole request has come for some seconds is closed, whether or not a byte of it drips in
 * now and then.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
final class Callers implements Connection.Listener {

    private static final int MOST = 256;

    /** To be let in. By default it is 50: a burst of callers would leave no place for a probe. */
    private static final int MOST_WAITING = 1_024;

    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /** Since when it has waited for a request, if none is being answered. */
    private record Waiting(boolean isBusy, long sinceNanos) {}

    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final Map<Connection, Waiting> open = new ConcurrentHashMap<>();

    Callers(Scheduler scheduler, LongSupplier nanoTime) {
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
    }

    /** Watches the connections of a connector that is not started yet. */
    static Callers watch(ServerConnector connector) {
        Callers callers = new Callers(connector.getScheduler(), System::nanoTime);
        connector.addBean(callers);
        connector.setAcceptQueueSize(MOST_WAITING);
        return callers;
    }

    /** A whole request has come. */
    void asks(Connection connection) {
        open.replace(connection, new Waiting(true, nanoTime.getAsLong()));
    }

    /** It has been answered. */
    void isAnswered(Connection connection) {
        open.replace(connection, new Waiting(false, nanoTime.getAsLong()));
    }

    @Override
    public void onOpened(Connection connection) {
        open.put(connection, new Waiting(false, nanoTime.getAsLong()));
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
                .filter(it -> !it.getValue().isBusy)
                .min((a, b) -> Long.signum(a.getValue().sinceNanos - b.getValue().sinceNanos))
                .map(Map.Entry::getKey)
                .ifPresent(
                        it -> {
                            open.remove(it); // Jetty says later that it is closed
                            it.close();
                        });
    }

    /** Closes those on which nothing whole comes; from the start on, and again and again. */
    void look() {
        long now = nanoTime.getAsLong();
        open.forEach(
                (connection, waiting) -> {
                    if (!waiting.isBusy && now - waiting.sinceNanos > DEADLINE.toNanos()) {
                        connection.close();
                    }
                });
        if (scheduler.isRunning()) {
            scheduler.schedule(this::look, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
