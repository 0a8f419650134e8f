package dev.envelope.core.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.core.mailbox.FoldWatch.Finding;
import dev.envelope.core.testkit.Records;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class FoldWatchTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final long LONG_AFTER = Duration.ofMinutes(1).toNanos();

    @Test
    void whatIsSaidOfAHandlerWasSeenBeforeItHeededTheInterrupt() throws Exception {
        Message message = Records.message(Records.epoch(1), 7, "a", "v");
        CompletableFuture<FoldWatch> watched = new CompletableFuture<>();
        CountDownLatch never = new CountDownLatch(1);
        Thread worker =
                new Thread(
                        () -> {
                            FoldWatch watch = new FoldWatch(TIMEOUT);
                            watch.enter(message, FoldWatchTest.class);
                            watched.complete(watch);
                            waitForGood(never);
                            watch.leave();
                        });
        worker.start();
        FoldWatch watch = watched.get();
        assertThat(watch.look(0)).isEmpty();
        assertThat(watch.look(LONG_AFTER)).as("the process stood still").isEmpty();
        assertThat(watch.look(LONG_AFTER + TIMEOUT.toNanos())).as("not yet").isEmpty();

        FoldWatch.Sighting seen = watch.look(LONG_AFTER + TIMEOUT.toNanos() + 1).orElseThrow();
        worker.join();

        assertThat(watch.underWay()).isNull();
        assertThat(seen.finding()).isEqualTo(Finding.INTERRUPTED);
        assertThat(seen.message()).isSameAs(message);
        assertThat(seen.handler()).isEqualTo(FoldWatchTest.class);
        assertThat(seen.where().getStackTrace())
                .anyMatch(it -> it.getClassName().equals(FoldWatchTest.class.getName()));
    }

    private static void waitForGood(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
