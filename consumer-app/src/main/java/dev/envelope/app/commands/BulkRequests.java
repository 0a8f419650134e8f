package dev.envelope.app.commands;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.postgres.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.postgres.RequestCatalog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Asks for the same of many keys, some at a time and no more than so many a second, and says how
 * far it is. Whoever ends it ends it after these some.
 *
 * <p>Threads: one thread.
 */
final class BulkRequests {

    private static final int NOT_DONE = 1;
    private static final int MOST_OPEN = 20;
    private static final int MOST_TOLD = 10;
    private static final long LOOK_EVERY_MILLIS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration TELL_EVERY = Duration.ofSeconds(5);

    private final Terminal terminal;
    private final RequestCatalog requests;
    private final Action action;
    private final int rate;
    private final Map<Long, String> open = new LinkedHashMap<>(); // keys by request
    private int done;
    private int notDone;

    /**
     * @param rate keys a second
     */
    BulkRequests(Terminal terminal, RequestCatalog requests, Action action, int rate) {
        this.terminal = terminal;
        this.requests = requests;
        this.action = action;
        this.rate = rate;
    }

    /** Returns the code to exit with. */
    int carryOut(List<ParkedKey> keys) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        Deque<ParkedKey> left = new ArrayDeque<>(keys);
        long begun = System.nanoTime();
        long moved = begun;
        long told = begun;
        while (!left.isEmpty() || !open.isEmpty()) {
            long now = System.nanoTime();
            double due = rate * (now - begun) / 1e9;
            while (!left.isEmpty() && open.size() < MOST_OPEN && keys.size() - left.size() <= due) {
                ask(left.removeFirst().key());
                moved = now;
            }
            if (takeAnswers()) {
                moved = now;
            } else if (now - moved > PATIENCE.toNanos()) {
                terminal.err()
                        .printf(
                                "%,d are still under way; see the log of the instances%n",
                                open.size());
                break;
            }
            if (now - told > TELL_EVERY.toNanos()) {
                terminal.err().printf("%,d of %,d keys%n", done + notDone, keys.size());
                told = now;
            }
            if (never.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                break;
            }
        }
        terminal.out()
                .printf(
                        "%,d of %,d keys are done%s%n",
                        done, keys.size(), notDone == 0 ? "" : ", %,d are not".formatted(notDone));
        return done == keys.size() ? ExitCode.OK : NOT_DONE;
    }

    private void ask(String key) {
        Optional<Long> request = requests.ask(key, action, System.getProperty("user.name", ""));
        if (request.isPresent()) {
            open.put(request.get(), key);
        } else {
            done++; // somebody has been faster
        }
    }

    private boolean takeAnswers() {
        Map<Long, String> answers = requests.answersTo(open.keySet());
        answers.forEach(
                (request, answer) -> {
                    String key = String.valueOf(open.remove(request));
                    if (Answers.isDone(answer)) {
                        done++;
                    } else if (++notDone <= MOST_TOLD) {
                        terminal.out().printf("%s: %s%n", Words.quote(key), answer);
                    }
                });
        return !answers.isEmpty();
    }
}
