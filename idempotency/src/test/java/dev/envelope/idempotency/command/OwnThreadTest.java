package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OwnThreadTest {

    /** Without a pause that ends, nobody would be answered any more. */
    @Test
    void afterAPassThatThrowsItGoesOn() throws Exception {
        AtomicInteger passes = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(1);
        try (OwnThread thread =
                new OwnThread(
                        "test",
                        () -> {
                            if (passes.incrementAndGet() == 1) {
                                throw new IllegalStateException("a bug");
                            }
                            return OwnThread.NOT_DUE;
                        },
                        ended::countDown)) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<String> ran = new CompletableFuture<>();
                thread.execute(() -> ran.complete(Thread.currentThread().getName()));
                assertThat(ran.get(10, TimeUnit.SECONDS)).contains("test");
            }
            CompletableFuture<String> behind = new CompletableFuture<>();
            thread.execute(
                    () -> {
                        throw new IllegalStateException("another");
                    });
            thread.execute(() -> behind.complete("it"));
            assertThat(behind.get(10, TimeUnit.SECONDS)).isEqualTo("it");
        }
        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aPassComesAgainWhenItIsDue() throws Exception {
        CountDownLatch three = new CountDownLatch(3);
        AtomicInteger passes = new AtomicInteger();
        try (OwnThread thread =
                new OwnThread(
                        "test",
                        () -> {
                            three.countDown();
                            return passes.incrementAndGet() < 3
                                    ? TimeUnit.MILLISECONDS.toNanos(1)
                                    : OwnThread.NOT_DUE;
                        },
                        () -> {})) {
            thread.execute(() -> {});
            assertThat(three.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
