package dev.envelope.idempotency.limit;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.SetAside;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log which keys have come to be frozen: some by name, of the rest a summary a minute.
 * Where all messages from the first on are refused for the same reason, that is said once, after
 * some seconds.
 *
 * <p>Threads: thread-safe (synchronized).
 */
public final class FrozenLog implements SetAsideLimits.Told {

    private static final Logger log = LoggerFactory.getLogger(FrozenLog.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SOME_SECONDS = Duration.ofSeconds(3);

    /** What may be wrong with all messages alike, by the reason. */
    private static final Map<String, String> LIKELY =
            Map.of(
                    SetAside.UNDECODABLE,
                    "does value.format fit what the producer writes?",
                    "null-key",
                    "does the producer set no key? Then on.null.key says what becomes of them.",
                    "key-format",
                    "does key.format fit what the producer writes?");

    /** So many a minute have a line of their own. */
    private static final int BY_NAME = 5;

    private final LongSupplier nanoTime;
    private long since;
    private int told; // since then, as are the next
    private int untold;
    private @Nullable ParkedMessage lastUntold;
    private volatile boolean isMixed; // some were applied, or parked for another reason
    private @Nullable ParkedMessage first; // while it is not mixed, as are the next
    private long firstAt;
    private long alike;
    private long behind;
    private boolean isAlikeSaid;

    public FrozenLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.since = nanoTime.getAsLong();
    }

    @Override
    public void folded() {
        if (!isMixed) { // asked first, for it is told with each save
            isMixed = true;
        }
    }

    @Override
    public synchronized void behind() {
        behind++;
    }

    /** A message is parked that waits for no other: its key is frozen by it. */
    @Override
    public synchronized void frozen(ParkedMessage message) {
        look();
        if (told == BY_NAME || isLikeTheFirst(message)) {
            untold++;
            lastUntold = message;
            return;
        }
        told++;
        if (message.rowKey() == null) {
            log.warn("{} is parked, and can have no row: {}", message.message(), why(message));
        } else {
            log.warn(
                    "key {} is frozen: {} is parked after {} ({}). What comes of the key"
                            + " is parked behind it, until somebody redrives, skips or drops it:"
                            + " envelope parked show {}",
                    Words.quote(message.rowKey()),
                    message.message(),
                    Words.count(message.attempts(), "attempt"),
                    why(message),
                    Words.quote(message.rowKey()));
        }
    }

    /** Whether all from the first on, up to this one, are refused for one reason. */
    private boolean isLikeTheFirst(ParkedMessage message) {
        if (isMixed) {
            return false;
        }
        alike++;
        ParkedMessage before = first;
        if (before == null) {
            first = message;
            firstAt = nanoTime.getAsLong();
            isMixed = !LIKELY.containsKey(message.reason());
            return false;
        }
        isMixed = !before.reason().equals(message.reason());
        return !isMixed;
    }

    private void lookWhetherAllAreAlike(long now) {
        ParkedMessage example = first;
        if (isMixed
                || isAlikeSaid
                || example == null
                || alike < 2
                || now - firstAt < SOME_SECONDS.toNanos()) {
            return;
        }
        isAlikeSaid = true;
        untold = 0;
        lastUntold = null;
        log.warn(
                "none of all {} messages read so far was applied: {} for the same reason, {} behind"
                        + " those: {} The first is {} ({}): envelope parked list",
                alike + behind,
                Words.counted(alike, "is parked", "are parked"),
                behind,
                LIKELY.get(example.reason()),
                example.message(),
                why(example));
    }

    /** Now and then: some seconds, or a minute, may be over. */
    public synchronized void look() {
        long now = nanoTime.getAsLong();
        lookWhetherAllAreAlike(now);
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
