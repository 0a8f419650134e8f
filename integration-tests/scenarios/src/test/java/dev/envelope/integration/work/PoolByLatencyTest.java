package dev.envelope.integration.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.key.Ordering;
import dev.envelope.idempotency.json.BytesValueFormat;
import dev.envelope.idempotency.work.WorkApplication;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many workers a pool by latency gives a server that becomes slower with more than a few calls,
 * and how much gets done. It measures, so it runs when it is told for how long: {@code
 * -Dsizing.seconds=60}, and 12 at least.
 */
@Tag("cluster")
@EnabledIfSystemProperty(named = "sizing.seconds", matches = ".+")
@ExtendWith(OneStack.class)
class PoolByLatencyTest {

    private static final Logger log = LoggerFactory.getLogger(PoolByLatencyTest.class);
    private static final int SECONDS = Integer.getInteger("sizing.seconds", 12);
    private static final int AT_ONCE = 16;
    private static final int MILLIS = 20;

    /** What was seen in the second half of a run. */
    private record Seen(String name, double perSecond, List<Integer> sizes, String why) {

        double meanSize() {
            return sizes.stream().mapToInt(it -> it).average().orElseThrow();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s: %.0f calls/s, %.1f workers (%s)",
                    name,
                    perSecond,
                    meanSize(),
                    why);
        }
    }

    @Test
    void itSettlesNearWhatTheServerDoesAtOnceAndGetsMoreDoneThanTooManyOrTooFew(LocalStack stack)
            throws InterruptedException {
        stack.topics().create("sizing", 4);
        Applications.produce(
                stack,
                IntStream.range(0, 1_200 * SECONDS)
                        .mapToObj(i -> new ProducerRecord<>("sizing", "key-" + i, "x"))
                        .toList());

        Seen few = run(stack, "few", it -> it.withWorkers(2));
        Seen many = run(stack, "many", it -> it.withWorkers(64));
        Seen gain = run(stack, "gain", it -> it.withWorkers(2, 64));
        Seen latency =
                run(stack, "latency", it -> it.withWorkers(2, 64).withSizing(PoolSizing.LATENCY));

        log.info("a server for {} at once:\n{}\n{}\n{}\n{}", AT_ONCE, few, many, gain, latency);
        assertThat(latency.meanSize()).isBetween(AT_ONCE * 0.4, AT_ONCE * 2.5);
        assertThat(gain.meanSize()).as("by gain").isGreaterThan(2);
        assertThat(latency.perSecond()).isGreaterThan(1.2 * many.perSecond());
        assertThat(latency.perSecond()).isGreaterThan(2 * few.perSecond());
        assertThat(latency.why()).startsWith("by latency, 2 to 64: lowest ");
    }

    private static Seen run(LocalStack stack, String name, UnaryOperator<ConsumerSettings> change)
            throws InterruptedException {
        AtomicInteger inside = new AtomicInteger();
        AtomicLong done = new AtomicLong();
        ConsumerSettings settings =
                change.apply(
                        ConsumerSettings.of(
                                        "sizing-" + name,
                                        stack.bootstrapServers(),
                                        Set.of("sizing"))
                                .withOrdering(Ordering.NONE)
                                .withFailures(
                                        new FailurePolicy(
                                                10,
                                                Duration.ofMillis(50),
                                                Duration.ofMillis(200),
                                                FailurePolicy.Last.STOP)));
        WorkApplication application =
                new WorkApplication(
                        WorkApplication.Parts.of(
                                settings,
                                (value, message) -> {
                                    serve(inside);
                                    done.incrementAndGet();
                                },
                                new BytesValueFormat()));
        try {
            application.start();
            while (done.get() == 0) {
                Thread.sleep(20); // until the group has given it its partitions
            }
            Thread.sleep(500L * SECONDS); // it settles
            List<Integer> sizes = new ArrayList<>();
            long before = done.get();
            long began = System.nanoTime();
            for (int i = 0; i < 2 * SECONDS; i++) {
                Thread.sleep(250); // the time that is measured
                sizes.add(application.consumer().pool().size());
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            String why = application.consumer().pool().whySize();
            return new Seen(name, (done.get() - before) / seconds, sizes, why);
        } finally {
            application.close(Duration.ofMillis(100));
        }
    }

    /** With more at once than it can do each of them takes longer, and in all less gets done. */
    private static void serve(AtomicInteger inside) throws InterruptedException {
        double load = (double) inside.incrementAndGet() / AT_ONCE;
        try {
            Thread.sleep((long) (MILLIS * Math.max(1, load * load))); // the server's work
        } finally {
            inside.decrementAndGet();
        }
    }
}
