package dev.envelope.app.ops.bulk;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Requests one action for many keys, a few at a time and at a limited rate, and reports its
 * progress. When it is stopped, the requests already written are still carried out.
 *
 * <p>Threads: one thread carries it out; any may read the progress, or stop it (volatile, latch).
 */
public final class BulkRequests {

    private static final int MOST_OPEN = 20;
    private static final int MOST_TOLD = 10;
    private static final long LOOK_EVERY_MILLIS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration TELL_EVERY = Duration.ofSeconds(5);

    private static final List<Action> ACTIONS =
            List.of(Action.REDRIVE, Action.SKIP_FAILING, Action.SKIP, Action.DROP);

    /** The action of this name; empty if there is none. */
    public static Optional<Action> action(String name) {
        return ACTIONS.stream().filter(it -> name(it).equals(name)).findFirst();
    }

    /** The names of all actions. */
    public static String actions() {
        return ACTIONS.stream().map(BulkRequests::name).collect(Collectors.joining(", "));
    }

    private static String name(Action action) {
        return action.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Writes requests, and reads their answers. */
    public interface Requests {

        /** Returns the number of the request; empty if nothing of the key is parked. */
        Optional<Long> ask(String key, Action action);

        /** The answers to those requests that have one. */
        Map<Long, String> answersTo(Collection<Long> numbers);
    }

    /** Receives the progress. */
    public interface Listener {

        /** A key is not done, with the reason; called for the first few only. */
        void notDone(String line);

        /** The progress; called every few seconds. */
        default void at(Progress progress) {}
    }

    /**
     * The progress, in keys.
     *
     * @param open requested and not answered
     */
    public record Progress(int keys, int done, int notDone, int open) {}

    private final Requests requests;
    private final Action action;
    private final List<ParkedKey> keys;
    private final int rate;
    private final Listener listener;
    private int asked;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<Long, String> open = new LinkedHashMap<>(); // keys by request
    private volatile Progress progress;

    /**
     * @param rate requests a second
     */
    public BulkRequests(
            Requests requests, Action action, List<ParkedKey> keys, int rate, Listener listener) {
        this.requests = requests;
        this.action = action;
        this.keys = List.copyOf(keys);
        this.rate = rate;
        this.listener = listener;
        this.progress = new Progress(keys.size(), 0, 0, 0);
    }

    /** Returns when all are answered, when no answer came for a minute, or when it is stopped. */
    public Progress carryOut() throws InterruptedException {
        long begun = System.nanoTime();
        long moved = begun;
        long told = begun;
        boolean ends = false;
        while (!ends && (asked < keys.size() || !open.isEmpty())) {
            long now = System.nanoTime();
            double due = rate * (now - begun) / 1e9;
            while (asked < keys.size() && open.size() < MOST_OPEN && asked <= due) {
                ask(keys.get(asked).key());
                moved = now;
            }
            if (takeAnswers()) {
                moved = now;
            }
            if (now - told > TELL_EVERY.toNanos()) {
                listener.at(progress);
                told = now;
            }
            ends =
                    now - moved > PATIENCE.toNanos()
                            || stopped.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
        return progress;
    }

    /** The progress so far. */
    public Progress progress() {
        return progress;
    }

    /** Writes no more requests. Those already written are still carried out. */
    public void stop() {
        stopped.countDown();
    }

    private void ask(String key) {
        asked++;
        Optional<Long> request = requests.ask(key, action);
        request.ifPresent(it -> open.put(it, key));
        count(request.isPresent() ? 0 : 1, 0); // without one nothing of the key is parked any more
    }

    private void count(int more, int moreNotDone) {
        Progress last = progress;
        progress =
                new Progress(
                        keys.size(), last.done() + more, last.notDone() + moreNotDone, open.size());
    }

    private boolean takeAnswers() {
        Map<Long, String> answers = requests.answersTo(open.keySet());
        answers.forEach(
                (request, answer) -> {
                    String key = String.valueOf(open.remove(request));
                    boolean isDone = Answers.isDone(answer);
                    count(isDone ? 1 : 0, isDone ? 0 : 1);
                    if (!isDone && progress.notDone() <= MOST_TOLD) {
                        listener.notDone("%s: %s".formatted(Words.quote(key), answer));
                    }
                });
        return !answers.isEmpty();
    }
}
