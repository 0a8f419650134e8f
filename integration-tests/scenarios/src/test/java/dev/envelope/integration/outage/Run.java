package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.idempotency.EnvelopeApplication;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.oracle.Event;
import dev.envelope.integration.oracle.Journal;
import dev.envelope.integration.oracle.Ledger;
import dev.envelope.integration.oracle.LedgerCodec;
import dev.envelope.integration.oracle.LedgerFold;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.Oracle;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.StoredRows;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * An application in this JVM, behind a network that can fail, and a producer that keeps it busy; at
 * the end the oracle says whether every row is what the log makes of it.
 *
 * <p>Threads: one at a time.
 */
final class Run implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CLOSE = Duration.ofSeconds(15);

    /** Short, so that an outage is noticed while the test is young. */
    private static final PostgresSettings.Timeouts TIMEOUTS =
            new PostgresSettings.Timeouts(
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(2),
                    Duration.ofMillis(300),
                    Duration.ofSeconds(3),
                    Duration.ofSeconds(4),
                    Duration.ofSeconds(1));

    private final ProxiedStack stack;
    private final ConsumerGroup group;
    private final Counts counts = new Counts();
    private final Leaks leaks = Leaks.baseline();
    private final LinesSeen log = LinesSeen.open();
    private final PostgresStore store;
    private final EnvelopeApplication application;
    private final EnvelopeConsumer consumer;
    private @Nullable WorkloadProducer producer;

    /**
     * What may differ between runs.
     *
     * @param rate records a second
     */
    record Plan(String name, int rate, int keys, long cacheBytes, int lanes) {

        static Plan of(String name) {
            return new Plan(name, 1_500, 499, 16L << 20, 3);
        }

        Plan withKeys(int other) {
            return new Plan(name, rate, other, cacheBytes, lanes);
        }

        Plan withCache(long bytes) {
            return new Plan(name, rate, keys, bytes, lanes);
        }
    }

    private Run(ProxiedStack stack, Plan plan, String url) {
        this.stack = stack;
        this.group = ConsumerGroup.create(stack.direct(), plan.name(), "classic", 4);
        this.store = PostgresStore.open(settings(stack, group.database(), plan, url));
        EnvelopeFold<Ledger, Event> fold =
                new EnvelopeFold<>(
                        new LedgerFold(plan.name()),
                        new LedgerCodec(),
                        Event.FORMAT,
                        new HeaderIds(Event.ID_HEADER),
                        IdLimits.ofCount(1_000),
                        4 << 20);
        this.application =
                new EnvelopeApplication(
                        EnvelopeApplication.Parts.of(settings(stack, plan), fold, store)
                                .with(counts)
                                .withCache(plan.cacheBytes()));
        this.consumer = application.consumer();
    }

    /** Starts it and its load, and returns when rows are being saved. */
    static Run start(ProxiedStack stack, Plan plan) {
        Run run = new Run(stack, plan, "");
        try {
            run.application.start();
            run.produce(plan);
            run.awaitSaved(run.counts.saved() + 500);
            return run;
        } catch (RuntimeException | AssertionError e) {
            run.close();
            throw e;
        }
    }

    private void produce(Plan plan) {
        LedgerWorkload workload = LedgerWorkload.plain(plan.name(), 42, plan.keys());
        producer = WorkloadProducer.start(stack.direct().bootstrapServers(), workload, plan.rate());
    }

    private static PostgresSettings settings(
            ProxiedStack stack, Database direct, Plan plan, String url) {
        String password = direct.password();
        return new PostgresSettings(
                url.isEmpty() ? stack.throughProxy(direct).url() : url,
                new PostgresSettings.Login(direct.user(), password::toCharArray),
                ConsumerGroup.SCHEMA,
                plan.name(),
                "one",
                plan.lanes(),
                TIMEOUTS);
    }

    private static ConsumerSettings settings(ProxiedStack stack, Plan plan) {
        ConsumerSettings defaults =
                ConsumerSettings.of(plan.name(), stack.bootstrapServers(), Set.of(plan.name()));
        return defaults.withLoop(
                new PollLoop.Limits(
                        32L << 20,
                        defaults.loop().aheadMaxRecords(),
                        Duration.ofMillis(200),
                        defaults.loop().revokeDeadline()));
    }

    Counts counts() {
        return counts;
    }

    LinesSeen log() {
        return log;
    }

    Database database() {
        return group.database();
    }

    EnvelopeConsumer consumer() {
        return consumer;
    }

    /** Waits until so many messages have been saved in all. */
    void awaitSaved(long messages) {
        await(PATIENCE, () -> counts.saved() >= messages);
    }

    /** Waits until more has been saved than at this moment, which is how long it took to heal. */
    Duration awaitHealed(Duration atMost) {
        long before = counts.saved();
        long begun = System.nanoTime();
        await(atMost, () -> counts.saved() > before);
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** Lets the time pass, with the application at work. */
    void elapse(Duration time) {
        long begun = System.nanoTime();
        await(time.plusSeconds(5), () -> System.nanoTime() - begun >= time.toNanos());
    }

    /** How many messages are saved in this time. */
    long savedWithin(Duration time) {
        long before = counts.saved();
        elapse(time);
        return counts.saved() - before;
    }

    /** The longest time within this one in which nothing was saved. */
    Duration longestPauseWithin(Duration time) {
        long begun = System.nanoTime();
        AtomicLong saved = new AtomicLong(counts.saved());
        AtomicLong changed = new AtomicLong(begun);
        AtomicLong longest = new AtomicLong();
        await(
                time.plusSeconds(5),
                () -> {
                    long now = System.nanoTime();
                    longest.accumulateAndGet(now - changed.get(), Math::max);
                    if (counts.saved() != saved.getAndSet(counts.saved())) {
                        changed.set(now);
                    }
                    return now - begun >= time.toNanos();
                });
        return Duration.ofNanos(longest.get());
    }

    static void await(Duration atMost, Callable<Boolean> condition) {
        Awaitility.await().atMost(atMost).pollInterval(Duration.ofMillis(10)).until(condition);
    }

    /** Ends the load, waits until all of it is committed, and holds every row against the log. */
    void judge() {
        judge(group.database());
    }

    /** The same where the rows are in another server by now. */
    void judge(Database now) {
        endLoad();
        group.awaitDone();
        Findings findings = new Findings();
        try (ReferenceReplay truth = group.replay()) {
            truth.readToEnd();
            Oracle oracle =
                    new Oracle(
                            truth.expected(),
                            new StoredRows(now, ConsumerGroup.SCHEMA),
                            new Journal(now, ConsumerGroup.SCHEMA),
                            findings);
            oracle.judge();
            assertThat(oracle.savesOfSeveral()).as("envelopes of several messages").isPositive();
        }
        assertThat(findings.isEmpty()).as("%s", findings).isTrue();
        assertThat(counts.parked()).as("parked").isZero();
        assertThat(counts.failedAttempts()).as("attempts that failed").isZero();
    }

    private void endLoad() {
        WorkloadProducer running = producer;
        producer = null;
        if (running != null) {
            running.close();
        }
    }

    /** Closes the application within its deadline, and looks for what it has left behind. */
    @Override
    public void close() {
        try {
            endLoad();
        } finally {
            long begun = System.nanoTime();
            boolean ignored = application.close(CLOSE);
            store.close();
            log.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("time to close")
                    .isLessThan(CLOSE.plusSeconds(20));
        }
        leaks.assertNone(stack, group.name(), group.database());
    }
}
