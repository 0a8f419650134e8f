package dev.envelope.idempotency.limit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * Logs which keys were frozen: a few per minute by name, the rest in a summary per minute. If all
 * messages since the start were refused for the same reason, one line says so after a few seconds.
 *
 * <p>Threads: guarded by this.
 */
public final class FrozenLog implements SetAsideLimits.Told {

    private static final Logger log = LoggerFactory.getLogger(FrozenLog.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SOME_SECONDS = Duration.ofSeconds(3);

    /** The likely mistake when all messages are refused, by reason. */
    private static final Map<String, String> LIKELY =
            Map.of(
                    SetAside.UNDECODABLE,
                    "does value.format fit what the producer writes?",
                    "null-key",
                    "does the producer set no key? Then on.null.key says what becomes of them.",
                    "key-format",
                    "does key.format fit what the producer writes?");

    /** How many keys per minute get a line of their own. */
    private static final int BY_NAME = 5;

    /**
     * The current minute.
     *
     * @param told how many keys got a line of their own
     * @param untold how many got none
     * @param last the last of those without a line
     */
    private record Minute(long since, int told, int untold, @Nullable ParkedMessage last) {

        Minute andTold() {
            return new Minute(since, told + 1, untold, last);
        }

        Minute andUntold(ParkedMessage message) {
            return new Minute(since, told, untold + 1, message);
        }

        /** The same minute, without need of a summary. */
        Minute settled() {
            return new Minute(since, told, 0, null);
        }
    }

    /** The messages since the start, while all are refused for one reason. */
    private record Alike(ParkedMessage first, long firstAt, long count, boolean isSaid) {

        Alike oneMore() {
            return new Alike(first, firstAt, count + 1, isSaid);
        }

        Alike said() {
            return new Alike(first, firstAt, count, true);
        }
    }

    private final LongSupplier nanoTime;
    private volatile boolean isMixed; // some were applied, or parked for another reason

    @GuardedBy("this")
    private Minute minute;

    @GuardedBy("this")
    private @Nullable Alike alike; // null before the first

    @GuardedBy("this")
    private long behind;

    public FrozenLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.minute = new Minute(nanoTime.getAsLong(), 0, 0, null);
    }

    @Override
    public void folded() {
        if (!isMixed) { // avoids a volatile write at each save
            isMixed = true;
        }
    }

    @Override
    public synchronized void behind() {
        behind++;
    }

    /** Called for a parked message that freezes its key, or that can't have a row. */
    @Override
    public synchronized void frozen(ParkedMessage message) {
        look();
        if (minute.told() == BY_NAME || isLikeTheFirst(message)) {
            minute = minute.andUntold(message);
            return;
        }
        minute = minute.andTold();
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

    /** Whether all messages since the start, including this one, are refused for one reason. */
    @GuardedBy("this")
    private boolean isLikeTheFirst(ParkedMessage message) {
        if (isMixed) {
            return false;
        }
        Alike before = alike;
        if (before == null) {
            alike = new Alike(message, nanoTime.getAsLong(), 1, false);
            isMixed = !LIKELY.containsKey(message.reason());
            return false;
        }
        alike = before.oneMore();
        isMixed = !before.first().reason().equals(message.reason());
        return !isMixed;
    }

    @GuardedBy("this")
    private void lookWhetherAllAreAlike(long now) {
        Alike all = alike;
        if (isMixed
                || all == null
                || all.isSaid()
                || all.count() < 2
                || now - all.firstAt() < SOME_SECONDS.toNanos()) {
            return;
        }
        alike = all.said();
        minute = minute.settled();
        ParkedMessage example = all.first();
        log.warn(
                "none of all {} messages read so far was applied: {} for the same reason, {} behind"
                        + " those: {} The first is {} ({}): envelope parked list",
                all.count() + behind,
                Words.counted(all.count(), "is parked", "are parked"),
                behind,
                LIKELY.get(example.reason()),
                example.message(),
                why(example));
    }

    /** Logs what is due; called every second or so. */
    public synchronized void look() {
        long now = nanoTime.getAsLong();
        lookWhetherAllAreAlike(now);
        if (now - minute.since() < MINUTE.toNanos()) {
            return;
        }
        ParkedMessage last = minute.last();
        if (last != null) {
            log.warn(
                    "{} keys more were frozen within a minute, or messages parked without a row; the"
                            + " last: key {}, {} ({}): envelope parked list",
                    minute.untold(),
                    Words.quote(String.valueOf(last.rowKey())),
                    last.message(),
                    why(last));
        }
        minute = new Minute(now, 0, 0, null);
    }

    private static String why(ParkedMessage message) {
        return message.error().isEmpty()
                ? message.reason()
                : message.reason() + ": " + Words.line(message.error());
    }
}
