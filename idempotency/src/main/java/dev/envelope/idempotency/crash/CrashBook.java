package dev.envelope.idempotency.crash;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.Verdict;
import dev.envelope.idempotency.fold.KilledProcessException;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.CrashStore.Suspect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the messages that processes have died of, and gives each up that has been there three times
 * in a row.
 *
 * <p>A dying process writes down what it was at, if it still can. From then on the message is a
 * suspect: it is folded alone, no two at a time, and it is counted <em>before</em> it is folded, so
 * that even an end without a word counts. Who is folded and lives is no suspect any more. As long
 * as there are none, which is asked once for each epoch, nothing is done for a message.
 *
 * <p>Threads: thread-safe (a volatile list; whoever folds a suspect has set {@link #underWay}).
 */
public final class CrashBook {

    /** How many ends in a row are enough. */
    public static final int MOST = 3;

    private static final Logger log = LoggerFactory.getLogger(CrashBook.class);

    private record Place(int source, long offset) {

        static Place of(Message message) {
            return new Place(message.epoch().source(), message.offset());
        }
    }

    /** What was read when an epoch began. */
    private record Page(long epoch, Map<Place, Integer> times) {}

    private final CrashStore store;
    private final AtomicReference<@Nullable Message> underWay = new AtomicReference<>();
    private volatile Page page = new Page(Long.MIN_VALUE, new ConcurrentHashMap<>());

    public CrashBook(CrashStore store) {
        this.store = store;
    }

    /**
     * Reads it, if that was not done since this epoch began.
     *
     * @throws UnavailableException if it can't be read
     */
    public void open(long epoch) {
        if (page.epoch() >= epoch) {
            return;
        }
        Map<Place, Integer> times = new ConcurrentHashMap<>();
        for (Suspect suspect : store.suspects()) {
            times.put(new Place(suspect.source(), suspect.offset()), suspect.times());
        }
        if (!times.isEmpty()) {
            log.warn(
                    "{} messages were being folded when a process died; each is folded alone now",
                    times.size());
        }
        page = new Page(epoch, times);
    }

    /**
     * Asks to fold a work, which is cut short at a suspect. Who may fold does so at once, for it is
     * counted, and says {@link #survived} afterwards; until then no other suspect is folded.
     *
     * @return null if it may; else what to settle it with
     */
    public @Nullable Outcome admit(Work<?> work) {
        Map<Place, Integer> times = page.times();
        if (times.isEmpty() || work.envelope().givenUp() != null) {
            return null;
        }
        List<Message> messages = work.envelope().messages();
        for (int at = 0; at < messages.size(); at++) {
            Message message = messages.get(at);
            Integer died = times.get(Place.of(message));
            if (died != null && isNew(work, message)) {
                return at == 0 ? admit(work, message, died) : cut(work, at);
            }
        }
        return null;
    }

    private static boolean isNew(Work<?> work, Message message) {
        return work.snapshot().marks().judge(message) == Verdict.NEW;
    }

    private static @Nullable Outcome cut(Work<?> work, int at) {
        work.limitTo(at);
        return null;
    }

    private @Nullable Outcome admit(Work<?> work, Message message, int died) {
        if (died >= MOST) {
            int source = message.epoch().source();
            work.fail(0, new KilledProcessException(died, source, message.offset()), false);
            return null;
        }
        if (!underWay.compareAndSet(null, message)) {
            return Outcome.Waiting.on(
                    Doing.NO_ROOM); // another is folded; only this key waits for it
        }
        try {
            store.countUpTo(message, died + 1);
        } catch (UnavailableException e) {
            underWay.set(null);
            return new Outcome.Unavailable(e);
        }
        log.warn(
                "message {} of key {} was being folded when the process died, {} times; it is tried"
                        + " alone",
                message,
                Words.quote(message.key()),
                died);
        work.limitTo(1);
        return null;
    }

    /** The fold is back, whatever it has brought: its first message has killed nobody. */
    public void survived(Work<?> work) {
        Message suspect = underWay.get();
        if (suspect == null || work.envelope().first() != suspect) {
            return;
        }
        page.times().remove(Place.of(suspect));
        try {
            store.forget(suspect);
        } catch (UnavailableException e) {
            log.debug("{} stays in the table crash: {}", suspect, Words.describe(e));
        } finally {
            underWay.set(null);
        }
    }

    /** The process is about to end: writes down what it was at. */
    public void dying(List<Message> folding) {
        Map<Place, Message> anew = new LinkedHashMap<>(); // two folds may be at one message
        folding.forEach(message -> anew.putIfAbsent(Place.of(message), message));
        Message counted = underWay.get();
        if (counted != null) {
            anew.remove(Place.of(counted));
        }
        for (Message message : folding) {
            log.error(
                    "memory has run out while message {} of key {} was being folded",
                    message,
                    Words.quote(message.key()));
        }
        if (!anew.isEmpty()) {
            store.count(anew.values());
        }
    }
}
