package dev.envelope.integration.outage;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * The lines that our own classes log while it is open.
 *
 * <p>Threads: thread-safe (a copying list).
 */
final class LinesSeen extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private static final Logger OURS = (Logger) LoggerFactory.getLogger("dev.envelope");

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private LinesSeen() {}

    static LinesSeen open() {
        LinesSeen seen = new LinesSeen();
        seen.setContext(OURS.getLoggerContext());
        seen.start();
        OURS.addAppender(seen);
        return seen;
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getFormattedMessage());
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    boolean have(String text) {
        return lines.stream().anyMatch(it -> it.contains(text));
    }

    @Override
    public void close() {
        OURS.detachAppender(this);
        stop();
    }
}
