package dev.envelope.integration.work;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.key.Ordering;
import dev.envelope.idempotency.work.WorkApplication;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A process whose work is a line in a file, until it is killed. */
public final class WorkMain {

    /** Messages with this value are never done while the process has the argument {@code stuck}. */
    static final String STUCK = "stuck";

    private WorkMain() {}

    /**
     * Works until it is killed.
     *
     * @param arguments brokers, topic, file, ordering, and whether it gets stuck
     */
    public static void main(String[] arguments) throws Exception {
        boolean isStuck = arguments[4].equals(STUCK);
        OutputStream file =
                Files.newOutputStream(
                        Path.of(arguments[2]),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
        ConsumerSettings settings =
                ConsumerSettings.of("work", arguments[0], Set.of(arguments[1]))
                        .withOrdering(new Ordering(Ordering.By.valueOf(arguments[3]), 1))
                        .withWorkers(16)
                        .withClientProperties(
                                Map.of(
                                        "consumer.session.timeout.ms", "1500",
                                        "consumer.heartbeat.interval.ms", "500"))
                        .withFailures(
                                new FailurePolicy(
                                        1_000_000,
                                        Duration.ofMillis(50),
                                        Duration.ofMillis(200),
                                        FailurePolicy.Last.STOP));
        WorkApplication application =
                new WorkApplication(
                        WorkApplication.Parts.of(
                                settings,
                                (value, message) -> work(file, isStuck, value, message),
                                (bytes, message) -> new String(bytes, StandardCharsets.UTF_8)));
        application.start();
        new CountDownLatch(1).await();
    }

    /** One write, so that a kill leaves no half a line. */
    private static void work(
            OutputStream file, boolean isStuck, @Nullable String value, Message message)
            throws IOException {
        if (isStuck && STUCK.equals(value)) {
            throw new IllegalStateException("not in this process");
        }
        String line = message.partition() + " " + message.offset() + " " + value + "\n";
        file.write(line.getBytes(StandardCharsets.UTF_8));
    }
}
