package dev.envelope.app.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Lets a line of the Kafka clients and of the connection pool through once a minute, and counts
 * those in between: in an outage they repeat lines many times a second. Our own lines always pass.
 *
 * <p>Threads: one thread, the one that writes the log.
 */
final class RepeatedLines {

    private static final List<String> NOISY = List.of("org.apache.kafka", "com.zaxxer.hikari");
    private static final Pattern CLIENT = Pattern.compile("^\\[[^]]*] ");
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final long WINDOW_NANOS = 60_000_000_000L;
    private static final int MOST_KINDS = 256;

    /** Lines that differ only in their arguments: when the next may pass, how many did not. */
    private record Kind(long until, long suppressed) {}

    /**
     * Whether a line may be written.
     *
     * @param suppressed how many lines like it were left out since the last one
     */
    record Answer(boolean isAdmitted, long suppressed) {}

    private static final Answer YES = new Answer(true, 0);
    private static final Answer NO = new Answer(false, 0);

    private final Map<String, Kind> kinds = new LinkedHashMap<>();
    private final LongSupplier nanoTime;

    RepeatedLines(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    Answer admit(ILoggingEvent event) {
        if (NOISY.stream().noneMatch(event.getLoggerName()::startsWith)) {
            return YES;
        }
        if (ToldBetter.is(event)) {
            return NO;
        }
        String name = event.getLoggerName() + ' ' + kind(event.getMessage());
        long now = nanoTime.getAsLong();
        Kind kind = kinds.get(name);
        if (kind != null && now - kind.until() < 0) {
            kinds.put(name, new Kind(kind.until(), kind.suppressed() + 1));
            return NO;
        }
        if (kinds.size() >= MOST_KINDS) {
            forgetOld(now);
        }
        kinds.put(name, new Kind(now + WINDOW_NANOS, 0));
        return kind == null ? YES : new Answer(true, kind.suppressed());
    }

    /**
     * Without the client's name and numbers, since some lines are formatted before they are logged.
     */
    private static String kind(String message) {
        return NUMBER.matcher(CLIENT.matcher(message).replaceFirst("")).replaceAll("0");
    }

    private void forgetOld(long now) {
        Map<String, Kind> young = new HashMap<>(kinds);
        young.values().removeIf(kind -> now - kind.until() >= 0);
        kinds.clear();
        if (young.size() < MOST_KINDS) {
            kinds.putAll(young);
        }
    }
}
