package dev.envelope.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Turn;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said when memory has run out in several threads. */
@Timeout(30)
final class LastWordsTest {

    private final CountDownLatch isSaying = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger times = new AtomicInteger();

    /** Says them slowly, as one does who writes to a database. */
    private final EnvelopeHandler handler =
            new EnvelopeHandler() {
                @Override
                public void handle(Turn turn) {}

                @Override
                public void dying(List<Message> underWay) {
                    times.incrementAndGet();
                    isSaying.countDown();
                    try {
                        mayEnd.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            };

    private final Message message = Records.message(Records.epoch(1), 0, "key", "value");
    private final LastWords words = new LastWords(handler, () -> List.of(message));

    private Thread says(Throwable thrown) {
        Thread thread = new Thread(() -> words.say(thrown));
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Test
    void whoRunsOutOfMemorySecondWaitsUntilTheFirstHasSaidWhatItWasAt() throws Exception {
        Thread first = says(new OutOfMemoryError("said by the test"));
        assertThat(isSaying.await(10, TimeUnit.SECONDS)).isTrue();
        Thread second = says(new IllegalStateException(new OutOfMemoryError("the same")));

        second.join(200); // it can only be seen not to have gone ahead
        assertThat(second.isAlive()).isTrue();
        mayEnd.countDown();
        first.join();
        second.join();

        assertThat(times).hasValue(1);
    }

    @Test
    void whoNeverEndsIsNotWaitedForEndlessly() throws Exception {
        says(new OutOfMemoryError("said by the test"));
        assertThat(isSaying.await(10, TimeUnit.SECONDS)).isTrue();

        says(new OutOfMemoryError("the same")).join();

        assertThat(mayEnd.getCount()).as("the first is still at it").isEqualTo(1);
    }

    @Test
    void otherFaultsSayAndAwaitNothing() {
        words.say(new IllegalStateException("said by the test"));
        words.say(null);

        assertThat(times).hasValue(0);
    }
}
