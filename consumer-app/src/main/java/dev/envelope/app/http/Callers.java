package dev.envelope.app.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Limits the open connections. Beyond the limit, each new one closes the one that has been idle
 * longest, so hundreds of idle connections do not keep out callers with requests. A connection on
 * which a request does not become complete within some seconds is closed, even if single bytes keep
 * arriving; one that was answered may be idle for longer.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
public final class Callers implements Connection.Listener {

    /** The accept queue. In a burst of callers, Jetty's 50 would leave no place for a probe. */
    private static final int MOST_WAITING = 1_024;

    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /**
     * How many connections may be open, and how long one may be idle after an answer.
     *
     * @param idle at least five seconds
     */
    public record Limits(int most, Duration idle) {}

    /**
     * What a connection waits for.
     *
     * @param isBusy whether a request is being answered
     * @param sinceNanos since when it is busy or idle
     * @param bytesAnswered what had come in when it was answered; -1 if a request may have begun
     */
    private record Waiting(boolean isBusy, long sinceNanos, long bytesAnswered) {

        static Waiting busy(long nanos) {
            return new Waiting(true, nanos, -1);
        }

        static Waiting forARequest(long nanos) {
            return new Waiting(false, nanos, -1);
        }

        boolean hasBegun(Connection connection) {
            return bytesAnswered >= 0 && connection.getBytesIn() != bytesAnswered;
        }
    }

    private final Limits limits;
    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final Map<Connection, Waiting> open = new ConcurrentHashMap<>();

    Callers(Limits limits, Scheduler scheduler, LongSupplier nanoTime) {
        this.limits = limits;
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
    }

    /** Watches the connections of a connector that is not started yet. */
    static Callers watch(ServerConnector connector, Limits limits) {
        Callers callers = new Callers(limits, connector.getScheduler(), System::nanoTime);
        connector.addBean(callers);
        connector.setAcceptQueueSize(MOST_WAITING);
        return callers;
    }

    /** A complete request has arrived. */
    public void asks(Connection connection) {
        open.replace(connection, Waiting.busy(nanoTime.getAsLong()));
    }

    /** The request has been answered. */
    public void isAnswered(Connection connection) {
        long answered = connection.getBytesIn();
        open.replace(connection, new Waiting(false, nanoTime.getAsLong(), answered));
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection) {
            return; // the one within counts
        }
        open.put(connection, Waiting.forARequest(nanoTime.getAsLong()));
        if (open.size() > limits.most()) {
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

    private long most(Waiting waiting) {
        return (waiting.bytesAnswered < 0 ? DEADLINE : limits.idle()).toNanos();
    }

    /** Closes connections without a complete request, and schedules itself again. */
    void look() {
        long now = nanoTime.getAsLong();
        open.forEach(
                (connection, waiting) -> {
                    if (waiting.hasBegun(connection)) {
                        open.replace(connection, waiting, Waiting.forARequest(now));
                    } else if (!waiting.isBusy && now - waiting.sinceNanos > most(waiting)) {
                        connection.close();
                    }
                });
        if (scheduler.isRunning()) {
            scheduler.schedule(this::look, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
