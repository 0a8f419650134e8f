package dev.envelope.core.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.WorkerThreads;
import dev.envelope.core.workers.IndependentPool.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A pool whose workers the test lets go on. */
@Timeout(30)
abstract class PoolBench {

    final Semaphore goOn = new Semaphore(0);
    final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
    final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
    final List<String> arguments = new CopyOnWriteArrayList<>();
    final AtomicInteger created = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    final List<IndependentPool<?, ?>> pools = new ArrayList<>();

    /** Waits for a permit at each message; dies of those that begin with "deadly". */
    final class Gated implements Worker<String, String>, AutoCloseable {

        private final int number = created.incrementAndGet();

        Gated(String argument) {
            arguments.add(argument);
        }

        @Override
        public String handle(String message) throws InterruptedException {
            begun.add(message);
            goOn.acquire();
            if (message.startsWith("deadly")) {
                throw new IllegalStateException(message);
            }
            done.add(message);
            return message + " by " + number;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    static Shape shape(int size, int mailbox) {
        return new Shape("gated", size, mailbox, 3, WorkerThreads.PLATFORM.factory("test-worker"));
    }

    final IndependentPool<String, String> pool(int size, int mailbox) throws Exception {
        return kept(IndependentPool.start(shape(size, mailbox), Gated::new, "the argument"));
    }

    final <M, R> IndependentPool<M, R> kept(IndependentPool<M, R> pool) {
        pools.add(pool);
        return pool;
    }

    @AfterEach
    final void end() {
        goOn.release(1_000_000);
        pools.forEach(IndependentPool::close);
    }

    final void begins(String... messages) throws InterruptedException {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            seen.add(String.valueOf(begun.poll(20, TimeUnit.SECONDS)));
        }
        assertThat(seen).containsExactlyInAnyOrder(messages);
    }

    static <R> R answer(CompletableFuture<R> reply) throws Exception {
        return reply.get(20, TimeUnit.SECONDS);
    }
}
