package dev.envelope.app.ops.bulk;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.postgres.ParkedCatalog.ParkedKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the same of many keys, some at a time and no more than so many a second, and says how
 * far it is. Whoever ends it ends it after these some.
 *
 * <p>Threads: one thread carries it out; any may look how far it is, or stop it (volatile, latch).
 */
public final class BulkRequests {

    private static final int MOST_OPEN = 20;
    private static final int MOST_TOLD = 10;
    private static final long LOOK_EVERY_MILLIS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration TELL_EVERY = Duration.ofSeconds(5);

    /**
     * What is asked for each key.
     *
     * @param first asked for at first
     * @param onFailure asked for as often as a message of the key fails again; null: nothing
     */
    public record Plan(Action first, @Nullable Action onFailure) {

        private static final Map<String, Plan> BY_NAME = new LinkedHashMap<>();

        static {
            BY_NAME.put("redrive", new Plan(Action.REDRIVE, null));
            BY_NAME.put("skip-failing", new Plan(Action.REDRIVE, Action.SKIP));
            BY_NAME.put("skip", new Plan(Action.SKIP, null));
            BY_NAME.put("drop", new Plan(Action.DROP, null));
        }

        /** The plan that people call so; empty if there is none. */
        public static Optional<Plan> named(String name) {
            return Optional.ofNullable(BY_NAME.get(name));
        }

        /** What people may ask for. */
        public static String names() {
            return String.join(", ", BY_NAME.keySet());
        }
    }

    /** Where it is asked for. */
    public interface Requests {

        /** Returns the number of the request; empty if nothing of the key is parked. */
        Optional<Long> ask(String key, Action action);

        /** What was answered to those of them that were answered. */
        Map<Long, String> answersTo(Collection<Long> numbers);
    }

    /** Who is told how it goes. */
    public interface Listener {

        /** A key is not done, and why; the first of them only. */
        void notDone(String line);

        /** It goes on; told every few seconds. */
        default void at(Progress progress) {}
    }

    /**
     * How far it is, in keys.
     *
     * @param open asked for and not answered
     */
    public record Progress(int keys, int done, int notDone, int open) {}

    private record Ask(String key, Action action) {}

    private final Requests requests;
    private final Plan plan;
    private final List<ParkedKey> keys;
    private final int rate;
    private final Listener listener;
    private final Deque<Ask> left = new ArrayDeque<>();
    private int asked;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<Long, String> open = new LinkedHashMap<>(); // keys by request
    private volatile Progress progress;

    /**
     * @param rate requests a second
     */
    public BulkRequests(
            Requests requests, Plan plan, List<ParkedKey> keys, int rate, Listener listener) {
        this.requests = requests;
        this.plan = plan;
        this.keys = List.copyOf(keys);
        this.rate = rate;
        this.listener = listener;
        this.progress = new Progress(keys.size(), 0, 0, 0);
    }

    /** Ends when all are answered, when nobody has answered for long, or when it is stopped. */
    public Progress carryOut() throws InterruptedException {
        keys.forEach(key -> left.add(new Ask(key.key(), plan.first())));
        long begun = System.nanoTime();
        long moved = begun;
        long told = begun;
        boolean ends = false;
        while (!ends && (!left.isEmpty() || !open.isEmpty())) {
            long now = System.nanoTime();
            double due = rate * (now - begun) / 1e9;
            while (!left.isEmpty() && open.size() < MOST_OPEN && asked <= due) {
                ask(left.removeFirst());
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

    /** How far it is. */
    public Progress progress() {
        return progress;
    }

    /** Asks for no more. What is asked for already is carried out all the same. */
    public void stop() {
        stopped.countDown();
    }

    private void ask(Ask next) {
        asked++;
        Optional<Long> request = requests.ask(next.key(), next.action());
        if (request.isPresent()) {
            open.put(request.get(), next.key());
            count(0, 0);
        } else {
            count(1, 0); // somebody has been faster
        }
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
                    if (plan.onFailure() != null && Answers.isFailedAgain(answer)) {
                        left.addFirst(new Ask(key, plan.onFailure()));
                        return;
                    }
                    boolean isDone = Answers.isDone(answer);
                    count(isDone ? 1 : 0, isDone ? 0 : 1);
                    if (!isDone && progress.notDone() <= MOST_TOLD) {
                        listener.notDone("%s: %s".formatted(Words.quote(key), answer));
                    }
                });
        return !answers.isEmpty();
    }
}
