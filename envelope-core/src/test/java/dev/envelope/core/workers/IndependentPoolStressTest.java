package dev.envelope.core.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.WorkerThreads;
import dev.envelope.core.workers.IndependentPool.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many senders, workers that die, and workers that come and go. */
@Timeout(120)
class IndependentPoolStressTest {

    private static final int SENDERS = 6;
    private static final int MESSAGES = 5_000;

    private final Map<Integer, AtomicInteger> handled = new ConcurrentHashMap<>();

    /** Dies of each 97th message the first time, and of each 1,009th always. */
    private Worker<Integer, Integer> mortal() {
        AtomicInteger inside = new AtomicInteger();
        return message -> {
            if (inside.incrementAndGet() > 1) {
                throw new AssertionError("two messages at a time");
            }
            int times =
                    handled.computeIfAbsent(message, it -> new AtomicInteger()).incrementAndGet();
            if (isDeadly(message) || (message % 97 == 0 && times == 1)) {
                throw new IllegalStateException("dead");
            }
            inside.decrementAndGet();
            return -message;
        };
    }

    private static boolean isDeadly(int message) {
        return message % 1_009 == 0;
    }

    @ParameterizedTest
    @EnumSource(WorkerThreads.class)
    void everyMessageIsAnsweredOnceWhateverDiesComesAndGoes(WorkerThreads threads)
            throws Exception {
        Assumptions.assumeTrue(threads.areThere());
        Shape shape = new Shape("mortal", 3, 4, 3, threads.factory("stress"));
        IndependentPool.Factory<Integer, Integer, Integer> flat = number -> mortal();
        IndependentPool<Integer, Integer> pool =
                IndependentPool.start(
                        shape,
                        number -> {
                            // every third is a pool itself
                            return handled.size() % 3 == 0
                                    ? IndependentPool.start(
                                            new Shape("inner", 2, 2, 3, shape.threads()), flat, 1)
                                    : mortal();
                        },
                        1);
        List<Thread> senders = new ArrayList<>();
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        for (int sender = 0; sender < SENDERS; sender++) {
            int first = sender * MESSAGES;
            Thread thread = new Thread(() -> send(pool, first, wrong, refused), "sender");
            senders.add(thread);
            thread.start();
        }
        Random random = new Random(1);
        while (senders.stream().anyMatch(Thread::isAlive)) {
            if (random.nextBoolean() && pool.size() < 12) {
                pool.add(1 + random.nextInt(3));
            } else {
                pool.remove(1 + random.nextInt(3));
            }
            LockSupport.parkNanos(50_000);
        }
        for (Thread sender : senders) {
            sender.join();
        }
        pool.close();

        assertThat(wrong).hasValue(0);
        handled.forEach(
                (message, times) -> {
                    // a dead worker may be replaced by a pool, of which three more may die
                    int most = isDeadly(message) ? 9 : message % 97 == 0 ? 2 : 1;
                    assertThat(times.get()).as("message %d", message).isBetween(1, most);
                });
        assertThat(handled).hasSize(SENDERS * MESSAGES);
        assertThat((long) Objects.requireNonNull(pool.inspect().get("messages_unhandled")))
                .isGreaterThanOrEqualTo(refused.get());
    }

    private static void send(
            IndependentPool<Integer, Integer> pool,
            int first,
            AtomicInteger wrong,
            AtomicInteger refused) {
        List<CompletableFuture<Integer>> replies = new ArrayList<>();
        for (int message = first; message < first + MESSAGES; message++) {
            replies.add(taken(pool, message, refused));
        }
        for (int i = 0; i < MESSAGES; i++) {
            int message = first + i;
            try {
                int answer = replies.get(i).get(60, TimeUnit.SECONDS);
                if (isDeadly(message) || answer != -message) {
                    wrong.incrementAndGet();
                }
            } catch (Exception e) {
                if (!isDeadly(message)) {
                    wrong.incrementAndGet();
                }
            }
        }
    }

    private static CompletableFuture<Integer> taken(
            IndependentPool<Integer, Integer> pool, int message, AtomicInteger refused) {
        while (true) {
            try {
                return pool.ask(message);
            } catch (PoolFullException e) {
                refused.incrementAndGet();
                LockSupport.parkNanos(50_000);
            }
        }
    }
}
