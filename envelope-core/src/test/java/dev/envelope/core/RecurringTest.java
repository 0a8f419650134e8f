package dev.envelope.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class RecurringTest {

    private static final Duration PAUSE = Duration.ofMillis(1);

    private final LinkedBlockingQueue<Thread> turns = new LinkedBlockingQueue<>();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final Recurring recurring =
            Recurring.start("test", PAUSE, this::turn, () -> ends.add("end"));

    private boolean turn() {
        turns.add(Thread.currentThread());
        Throwable now = thrown.getAndSet(null);
        if (now instanceof Error error) {
            throw error;
        } else if (now != null) {
            throw (RuntimeException) now;
        }
        return false;
    }

    @AfterEach
    void close() {
        recurring.close();
    }

    private void awaitTurnsFromNowOn(int count) throws InterruptedException {
        turns.clear();
        for (int i = 0; i < count; i++) {
            assertThat(turns.poll(10, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void whatATurnThrowsIsCountedAndToldAndTheNextOneComes() throws InterruptedException {
        for (Throwable each :
                new Throwable[] {
                    new IllegalStateException("a bug"), new NoClassDefFoundError("of an old jar")
                }) {
            long before = recurring.status().failures();
            thrown.set(each);
            awaitTurnsFromNowOn(5);
            assertThat(recurring.status().failures()).isEqualTo(before + 1);
            assertThat(recurring.status().isFailing()).isFalse();
        }
    }

    @Test
    void anInterruptEndsNothing() throws InterruptedException {
        Thread its = turns.poll(10, TimeUnit.SECONDS);
        assertThat(its).isNotNull();
        for (int i = 0; i < 20; i++) {
            its.interrupt();
            awaitTurnsFromNowOn(2);
        }
        assertThat(its.isAlive()).isTrue();
    }

    @Test
    void itsThreadDoesWhatIsToBeDoneLastAndNoTurnComesAfterIt() throws InterruptedException {
        recurring.close();
        assertThat(ends.poll(10, TimeUnit.SECONDS)).isEqualTo("end");
        turns.clear();
        assertThat(turns.poll(20, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void aStopDoesNotWaitForThePassThatIsRunning() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Recurring rarely = rarely(() -> endsOnlyAfter(mayEnd))) {
            rarely.wake();
            awaitPass();

            rarely.stop();

            assertThat(rarely.isClosed()).isTrue();
            mayEnd.countDown();
            assertThat(ends.poll(10, TimeUnit.SECONDS)).isEqualTo("rarely");
        }
    }

    /** Passes far apart, unless something wakes them; each says that it has begun. */
    private Recurring rarely(Recurring.Work work) {
        return Recurring.start(
                "rarely",
                Duration.ofHours(1),
                () -> begun.add("pass") && work.turn(),
                () -> ends.add("rarely"));
    }

    private void awaitPass() throws InterruptedException {
        assertThat(begun.poll(10, TimeUnit.SECONDS)).isEqualTo("pass");
    }

    private void assertNoPassBegins() throws InterruptedException {
        assertThat(begun.poll(50, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void aWakeEndsThePause() throws InterruptedException {
        try (Recurring rarely = rarely(() -> false)) {
            for (int i = 0; i < 3; i++) {
                assertNoPassBegins();
                rarely.wake();
                awaitPass();
            }
        }
    }

    @Test
    void wakesDuringAPassAreFollowedByOneMorePass() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Recurring rarely = rarely(() -> endsOnlyAfter(mayEnd))) {
            rarely.wake();
            awaitPass();
            rarely.wake();
            rarely.wake();
            mayEnd.countDown();

            awaitPass();
            assertNoPassBegins();
        }
    }

    private static boolean endsOnlyAfter(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return false;
    }

    @Test
    void aWakeDoesNotShortenThePauseAfterAFailure() throws InterruptedException {
        try (Recurring rarely = rarely(RecurringTest::fails)) {
            rarely.wake();
            awaitPass();
            rarely.wake();

            assertNoPassBegins();
        }
    }

    private static boolean fails() {
        throw new IllegalStateException("a bug");
    }

    @Test
    void closeEndsThePause() throws InterruptedException {
        rarely(() -> false).close();

        assertThat(ends.poll(1, TimeUnit.SECONDS)).isEqualTo("rarely");
        assertNoPassBegins();
    }

    @Test
    void thoseThatWaitForAServerAreWaitedForTogether() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(8);
        CountDownLatch silent = new CountDownLatch(1);
        List<Recurring> stuck =
                Stream.generate(() -> Recurring.start("stuck", PAUSE, () -> ask(asked, silent)))
                        .limit(8)
                        .toList();
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        long begin = System.nanoTime();

        Recurring.close(stuck, Duration.ofMillis(500));

        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isBetween(Duration.ofMillis(500), Duration.ofSeconds(3));
        silent.countDown();
        stuck.forEach(Recurring::close);
    }

    private static boolean ask(CountDownLatch asked, CountDownLatch answer) {
        asked.countDown();
        try {
            return answer.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
