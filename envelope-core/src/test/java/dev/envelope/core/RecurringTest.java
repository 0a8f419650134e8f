package dev.envelope.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class RecurringTest {

    private static final Duration PAUSE = Duration.ofMillis(1);

    private final LinkedBlockingQueue<Thread> turns = new LinkedBlockingQueue<>();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
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
}
