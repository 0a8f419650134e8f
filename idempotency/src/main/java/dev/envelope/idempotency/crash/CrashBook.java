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
import dev.envelope.idempotency.store.table.TableRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that were being folded when a process died. One that was there at three deaths in a
 * row is given up.
 *
 * <p>A dying process writes down the messages that it was folding, if it still can. From then on
 * such a message is a suspect: suspects are folded alone, one at a time, and are counted
 * <em>before</em> the fold, so that a sudden end counts, too. A suspect whose fold returns is no
 * suspect any more. The suspects are read once per epoch; while there are none, no message costs
 * anything.
 *
 * <p>Threads: thread-safe (volatile fields; the worker that folds a suspect has set {@link
 * #underWay}).
 */
public final class CrashBook {

    /** After how many deaths in a row a message is given up. */
    public static final int MOST = 3;

    private static final Logger log = LoggerFactory.getLogger(CrashBook.class);

    private record Place(int source, long offset) {

        static Place of(Message message) {
            return new Place(message.epoch().source(), TableRow.placeOf(message));
        }
    }

    /** The suspects, as read when an epoch began. */
    private record Page(long epoch, Map<Place, Integer> times) {}

    private final CrashStore store;
    private final AtomicReference<@Nullable Message> underWay = new AtomicReference<>();
    private final Map<Place, Integer> ours = new ConcurrentHashMap<>(); // counted, and alive
    private final Set<Message> settled = ConcurrentHashMap.newKeySet(); // not forgotten yet
    private volatile boolean isDying;
    private volatile Page page = new Page(Long.MIN_VALUE, new ConcurrentHashMap<>());

    public CrashBook(CrashStore store) {
        this.store = store;
    }

    /**
     * Reads the suspects, unless that was done since this epoch began.
     *
     * @throws UnavailableException if they can't be read
     */
    public void open(long epoch) {
        if (page.epoch() >= epoch) {
            return;
        }
        forgetSettled();
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
     * Decides whether a work may be folded, and cuts it short before a suspect. If it may, the
     * caller must fold at once, since the attempt is counted, and call {@link #survived}
     * afterwards; until then no other suspect is folded.
     *
     * @return null if it may; otherwise the outcome to settle it with
     */
    public @Nullable Outcome admit(Work<?> work) {
        Map<Place, Integer> times = page.times();
        if (times.isEmpty()) {
            return null;
        }
        List<Message> messages = work.envelope().messages();
        // One that is given up is not folded; those behind it are, before that is saved.
        for (int at = work.envelope().givenUp() == null ? 0 : 1; at < messages.size(); at++) {
            Message message = messages.get(at);
            Integer died = times.get(Place.of(message));
            if (died != null && isNew(work, message)) {
                return at == 0 ? admit(work, message, withoutOurs(message, died)) : cut(work, at);
            }
        }
        return null;
    }

    /** What this process has counted before it tried, and lives on, was no death. */
    private int withoutOurs(Message message, int died) {
        return Integer.valueOf(died).equals(ours.get(Place.of(message))) ? died - 1 : died;
    }

    private static boolean isNew(Work<?> work, Message message) {
        return work.snapshot().marks().judge(message) == Verdict.NEW
                && !message.epoch().readsAgainForOthers(message);
    }

    /** Halfway: if the one before the suspect is the culprit, that takes few deaths to find out. */
    private static @Nullable Outcome cut(Work<?> work, int at) {
        work.limitTo(Math.max(1, at / 2));
        return null;
    }

    private @Nullable Outcome admit(Work<?> work, Message message, int died) {
        if (died >= MOST) {
            int source = message.epoch().source();
            work.fail(0, new KilledProcessException(died, source, message.offset()), false);
            return null;
        }
        // Another suspect is being folded, or the death of this process was counted already. Only
        // this key waits.
        if (isDying || !underWay.compareAndSet(null, message)) {
            return Outcome.Waiting.on(Doing.NO_ROOM);
        }
        ours.put(Place.of(message), died + 1);
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

    /** The fold has returned or thrown: its first message did not kill the process. */
    public void survived(Work<?> work) {
        Message suspect = underWay.get();
        if (suspect == null || work.envelope().first() != suspect) {
            return;
        }
        page.times().remove(Place.of(suspect));
        settled.add(suspect);
        try {
            tryToForgetSettled();
        } finally {
            underWay.set(null);
        }
    }

    /**
     * A work is saved: of its messages, one that was given up is set aside now. A row of a table
     * that is inserted again in the same words starts without a death.
     */
    public void saved(Work<?> work) {
        Map<Place, Integer> times = page.times();
        if (times.isEmpty()) {
            return;
        }
        boolean isOne = false;
        for (Message message : work.envelope().messages().subList(0, work.done().size())) {
            if (times.remove(Place.of(message)) != null) {
                isOne |= settled.add(message);
            }
        }
        if (isOne) { // not for each work that is saved
            tryToForgetSettled();
        }
    }

    private void tryToForgetSettled() {
        try {
            forgetSettled();
        } catch (UnavailableException e) {
            log.debug("{} stay in the table crash: {}", settled, Words.describe(e));
        }
    }

    /** One that is not forgotten would count as one more death when it is read again. */
    private void forgetSettled() {
        for (Message message : List.copyOf(settled)) {
            store.forget(message);
            settled.remove(message);
            ours.remove(Place.of(message));
        }
    }

    /** Writes down the messages that were being folded; called when the process is about to end. */
    public void dying(List<Message> folding) {
        isDying = true;
        Map<Place, Message> anew = new LinkedHashMap<>(); // two folds may have the same message
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
