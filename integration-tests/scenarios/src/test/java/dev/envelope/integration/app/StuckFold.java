package dev.envelope.integration.app;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A handler of a user's own that never comes back from a value with a field {@code stuck}, and not
 * even when it is interrupted from one with a field {@code deaf}, takes as many milliseconds as a
 * field {@code takes} says, keeps the collector busy for as many as a field {@code churns} says,
 * runs out of memory at one with a field {@code memory}, and fails at one with a field {@code
 * wants} as long as there is no file of that name.
 *
 * <p>Threads: thread-safe (stateless).
 */
public final class StuckFold implements Fold<StuckFold.Count, JsonNode> {

    /** How many messages a key had. */
    public record Count(int n) {}

    @Override
    public Count apply(@Nullable Count state, @Nullable JsonNode value, Message message)
            throws InterruptedException {
        if (value != null && value.has("stuck")) {
            new CountDownLatch(1).await();
        }
        while (value != null && value.has("deaf")) {
            LockSupport.park();
            var unused = Thread.interrupted();
        }
        if (value != null && value.has("takes")) {
            long millis = value.at("/takes").asLong();
            var unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
        }
        if (value != null && value.has("churns")) {
            churn(Duration.ofMillis(value.at("/churns").asLong()));
        }
        if (value != null && value.has("memory")) {
            List<byte[]> all = new ArrayList<>();
            while (all.size() < Integer.MAX_VALUE) {
                all.add(new byte[8 << 20]);
            }
        }
        if (value != null
                && value.has("wants")
                && !Files.exists(Path.of(value.at("/wants").asString()))) {
            throw new IllegalStateException("no such account");
        }
        return new Count(state == null ? 1 : state.n() + 1);
    }

    /** Half of the heap is held, in small pieces; the oldest go as others come. */
    private static void churn(Duration time) {
        Deque<byte[]> held = new ArrayDeque<>();
        long most = Runtime.getRuntime().maxMemory() / 2 / 216;
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            for (int i = 0; i < 1_000; i++) {
                held.addLast(new byte[200]);
                if (held.size() > most) {
                    held.removeFirst();
                }
            }
        }
    }
}
