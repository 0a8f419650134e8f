package dev.envelope.app.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Limits the open connections. Beyond the limit, each new one closes the one that has been idle
 * longest, so hundreds of idle connections do not keep out callers with requests. A connection
 * without a complete request for some seconds is closed, even if single bytes keep arriving.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
public final class Callers implements Connection.Listener {

    /** The accept queue. In a burst of callers, Jetty's 50 would leave no place for a probe. */
    private static final int MOST_WAITING = 1_024;

    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /** Whether a request is being answered, and since when the connection is busy or idle. */
    private record Waiting(boolean isBusy, long sinceNanos) {}

    private final int most;
    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final Map<Connection, Waiting> open = new ConcurrentHashMap<>();

    Callers(int most, Scheduler scheduler, LongSupplier nanoTime) {
        this.most = most;
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
    }

    /**
     * Watches the connections of a connector that is not started yet.
     *
     * @param most that may be open
     */
    static Callers watch(ServerConnector connector, int most) {
        Callers callers = new Callers(most, connector.getScheduler(), System::nanoTime);
        connector.addBean(callers);
        connector.setAcceptQueueSize(MOST_WAITING);
        return callers;
    }

    /** A complete request has arrived. */
    public void asks(Connection connection) {
        open.replace(connection, new Waiting(true, nanoTime.getAsLong()));
    }

    /** The request has been answered. */
    public void isAnswered(Connection connection) {
        open.replace(connection, new Waiting(false, nanoTime.getAsLong()));
    }

    @Override
    public void onOpened(Connection connection) {
        open.put(connection, new Waiting(false, nanoTime.getAsLong()));
        if (open.size() > most) {
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
                            open.remove(it); // Jetty calls onClosed only later
                            it.close();
                        });
    }

    /** Closes connections without a complete request, and schedules itself again. */
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
