package dev.envelope.integration.example;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.key.Ordering;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkApplication;
import dev.envelope.integration.example.Balances.Payment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** Calls without rows, inside a service of one's own. Threads: stateless. */
public final class WorkExample {

    private WorkExample() {}

    // region work
    /** Does something for each payment, at least once, until somebody counts the latch down. */
    public static void run(String brokers, Work<Payment> work, CountDownLatch stop)
            throws InterruptedException {
        ConsumerSettings settings =
                ConsumerSettings.of("receipts", brokers, Set.of("payments"))
                        .withOrdering(Ordering.KEY) // or PARTITION, or NONE
                        .withWorkers(64) // how many calls may be under way
                        .withFailures(
                                new FailurePolicy(
                                        10, // attempts
                                        Duration.ofMillis(200),
                                        Duration.ofSeconds(30),
                                        FailurePolicy.Last.DEAD_LETTER));
        try (WorkApplication application =
                new WorkApplication(
                        WorkApplication.Parts.of(settings, work, JsonValueFormat.of(Payment.class))
                                .withDeadLetters("payments-dead"))) {
            application.start();
            stop.await();
        } // handles what was fetched, commits, leaves the group
    }
    // end region
}
