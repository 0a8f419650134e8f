package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Commands with an answer at a steady rate, whatever the answers take. The rate and the time can be
 * set: {@code -Dcommands.rate=2000 -Dcommands.seconds=30 -Dcommands.warm=90}.
 */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class CommandsLoadTest {

    private static final String NAME = "load";
    private static final int RATE = Integer.getInteger("commands.rate", 200);
    private static final int SECONDS = Integer.getInteger("commands.seconds", 5);
    private static final int WARM_UP = Integer.getInteger("commands.warm", 2);
    private static final int CONNECTIONS = 64;
    private static final int KEYS = 10_000;

    private static LocalStack stack;

    private final int port = Ports.free();
    private final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger next = new AtomicInteger();

    @BeforeAll
    static void start(LocalStack shared) {
        stack = shared;
    }

    /** A connection that sends whatever is due; the time of an answer counts from when it was. */
    private void send(int count, long began, String run, long[] nanos) {
        try (PlainConnection connection = new PlainConnection(port)) {
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                long due = began + i * 1_000_000_000L / RATE;
                for (long left = due - System.nanoTime();
                        left > 0;
                        left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                PlainConnection.Answer answer =
                        connection.post(
                                "/v1/entities/key-" + i * 7_919L % KEYS + "/messages?wait=10s",
                                "Idempotency-Key: " + run + i + "\r\n",
                                "{\"amount\":1}");
                nanos[i] = System.nanoTime() - due;
                if (answer.status() != 200) {
                    failed.add(answer.toString());
                }
            }
        } catch (IOException e) {
            failed.add(e.toString());
        }
    }

    private long[] load(String run, int count) throws InterruptedException {
        long[] nanos = new long[count];
        next.set(0);
        long began = System.nanoTime() + 100_000_000;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            threads.add(new Thread(() -> send(count, began, run, nanos)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return nanos;
    }

    @Test
    void eachCommandOfASteadyStreamIsAnswered() throws InterruptedException {
        stack.topics().create(NAME, 6);
        Database database = stack.postgres().createDatabase(NAME);
        List<String> settings = Applications.settings(stack, NAME, database);
        settings.add("dedupe.id=header:command-id");
        settings.add("gateway.listen=127.0.0.1:" + port);
        RunningApp app = RunningApp.start(stack.workspace(), NAME, settings);
        app.awaitReady();
        load("warm-", RATE * WARM_UP);
        failed.clear();

        long[] nanos = load("", RATE * SECONDS);

        assertThat(failed).isEmpty();
        assertThat(Applications.counted(database, NAME))
                .isEqualTo((long) RATE * (SECONDS + WARM_UP));
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%d commands/s for %d s: p50 %.1f ms, p99 %.1f ms, most %.1f ms%n",
                RATE,
                SECONDS,
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length * 99 / 100] / 1e6,
                nanos[nanos.length - 1] / 1e6);
        app.signal(Signal.TERM);
        assertThat(app.awaitExit()).isZero();
    }
}
