package dev.envelope.app.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Controls the log of the process: its level, its format, its end. */
public final class LogLevels {

    private static final String OURS = "dev.envelope";

    private LogLevels() {}

    /** Sets the level of our own loggers; those of the libraries stay as they are. */
    public static void set(String level) {
        inLogback(context -> context.getLogger(OURS).setLevel(Level.toLevel(level, Level.INFO)));
    }

    /** Makes each line a JSON object. */
    public static void asJson() {
        inLogback(
                context -> {
                    JsonLines lines = new JsonLines();
                    lines.setContext(context);
                    lines.start();
                    context.getLogger(Logger.ROOT_LOGGER_NAME)
                            .iteratorForAppenders()
                            .forEachRemaining(
                                    appender -> {
                                        if (appender instanceof LogOutlet outlet) {
                                            outlet.setEncoder(lines);
                                        }
                                    });
                });
    }

    /** Turns every logger off. */
    public static void silence() {
        inLogback(context -> context.getLoggerList().forEach(logger -> logger.setLevel(Level.OFF)));
    }

    /** Writes what is queued, and ends the log. */
    public static void flushAndStop() {
        inLogback(LoggerContext::stop);
    }

    private static void inLogback(Consumer<LoggerContext> change) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            change.accept(context);
        }
    }
}
