package dev.envelope.idempotency.limit;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.ParkedMessage;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log which keys have come to be frozen: some by name, of the rest a summary a minute.
 *
 * <p>Threads: thread-safe (synchronized).
 */
public final class FrozenLog {

    private static final Logger log = LoggerFactory.getLogger(FrozenLog.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** So many a minute have a line of their own. */
    private static final int BY_NAME = 5;

    private final LongSupplier nanoTime;
    private long since;
    private int told; // since then, as are the next
    private int untold;
    private @Nullable ParkedMessage lastUntold;

    public FrozenLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.since = nanoTime.getAsLong();
    }

    /** A message is parked that waits for no other: its key is frozen by it. */
    public synchronized void frozen(ParkedMessage message) {
        look();
        if (told == BY_NAME) {
            untold++;
            lastUntold = message;
            return;
        }
        told++;
        if (message.rowKey() == null) {
            log.warn("{} is parked, and can have no row: {}", message.message(), why(message));
        } else {
            log.warn(
                    "key {} is frozen: {} is parked after {} attempts ({}). What comes of the key"
                            + " is parked behind it, until somebody redrives, skips or drops it:"
                            + " envelope parked show {}",
                    Words.quote(message.rowKey()),
                    message.message(),
                    message.attempts(),
                    why(message),
                    Words.quote(message.rowKey()));
        }
    }

    /** Now and then: a minute may be over. */
    public synchronized void look() {
        long now = nanoTime.getAsLong();
        if (now - since < MINUTE.toNanos()) {
            return;
        }
        ParkedMessage last = lastUntold;
        if (last != null) {
            log.warn(
                    "{} keys more were frozen within a minute, or messages parked without a row; the"
                            + " last: key {}, {} ({}): envelope parked list",
                    untold,
                    Words.quote(String.valueOf(last.rowKey())),
                    last.message(),
                    why(last));
        }
        since = now;
        told = 0;
        untold = 0;
        lastUntold = null;
    }

    private static String why(ParkedMessage message) {
        return message.error().isEmpty()
                ? message.reason()
                : message.reason() + ": " + Words.line(message.error());
    }
}
