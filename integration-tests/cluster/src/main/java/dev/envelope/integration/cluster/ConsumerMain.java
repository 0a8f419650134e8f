package dev.envelope.integration.cluster;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.Event;
import dev.envelope.integration.oracle.Ledger;
import dev.envelope.integration.oracle.LedgerCodec;
import dev.envelope.integration.oracle.LedgerFold;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process under test: the library, put together as in a service of one's own, with the ledger
 * as its handler. It ends in good order when it is asked to (TERM).
 *
 * <p>Threads: immutable; all that runs belongs to the consumer.
 */
final class ConsumerMain {

    private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SLOTS_EVERY = Duration.ofMillis(20);
    private static final Duration BEAT = Duration.ofMillis(2);
    private static final Duration DRAIN = Duration.ofSeconds(20);
    private static final int WINDOW = 1_000;
    private static final int MAX_STATE_BYTES = 4 << 20;
    private static final long CACHE_BYTES = 16L << 20;

    private final ConsumerSpec spec;
    private final Beat beat;
    private final Trigger trigger;

    private ConsumerMain(ConsumerSpec spec) {
        this.spec = spec;
        this.beat = Beat.open(spec.beat());
        this.trigger = new Trigger(beat);
    }

    public static void main(String[] arguments) throws InterruptedException {
        new ConsumerMain(ConsumerSpec.parse(arguments)).run();
    }

    /** The settings of the store, which the schema is made with as well. */
    static PostgresSettings storeSettings(ConsumerSpec spec) {
        String password = spec.database().password();
        return new PostgresSettings(
                spec.database().url(),
                new PostgresSettings.Login(spec.database().user(), password::toCharArray),
                spec.schema(),
                spec.application(),
                spec.instance(),
                3,
                PostgresSettings.Timeouts.DEFAULT);
    }

    private void run() throws InterruptedException {
        Telemetry telemetry = new BeatTelemetry(beat);
        PostgresStore store = PostgresStore.open(storeSettings(spec));
        ConsumerSettings settings = settings();
        @Nullable SlotPlan plan = settings.slots();
        @Nullable SlotLocks slots =
                plan == null
                        ? null
                        : new SlotLocks(store.slots(plan.timeout()), plan, System::nanoTime);
        EnvelopeConsumer consumer =
                new EnvelopeConsumer(
                        settings,
                        handler(store.states(), telemetry),
                        new AimedCheckpoints(store.checkpoints(), trigger),
                        telemetry,
                        new EnvelopeConsumer.Reading(settings, slots));
        consumer.onStateChange(
                state -> {
                    if (state == EnvelopeConsumer.State.FAILED) {
                        Runtime.getRuntime().halt(1); // the tests must not wait for it
                    }
                });
        Recurring holding =
                slots == null
                        ? null
                        : Recurring.start("slots", SLOTS_EVERY, slots::turn, slots::close);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> close(consumer, holding, store), "shutdown"));
        consumer.start();
        Thread watch = new Thread(() -> watch(consumer), "beat");
        watch.setDaemon(true);
        watch.start();
        watch.join();
    }

    private void close(
            EnvelopeConsumer consumer, @Nullable Recurring holding, PostgresStore store) {
        boolean complete = consumer.close(DRAIN);
        if (holding != null) {
            holding.close(); // given up when the consumer has committed
        }
        store.close();
        beat.set(Count.UNACKED, 0);
        beat.set(Count.CLOSED_COMPLETE, complete ? 1 : 0);
    }

    private void watch(EnvelopeConsumer consumer) {
        while (true) {
            EngineStatus status = consumer.status();
            beat.set(Count.PARTITIONS, status.partitions().size());
            beat.set(
                    Count.UNACKED,
                    status.partitions().stream().mapToLong(PartitionStatus::unacked).sum());
            long asked = beat.get(Count.MEASURES_ASKED);
            if (asked > beat.get(Count.MEASURES_TAKEN)) {
                Measures.take().writeTo(beat);
                beat.set(Count.MEASURES_TAKEN, asked);
            }
            LockSupport.parkNanos(BEAT.toNanos());
        }
    }

    private EnvelopeHandler handler(StateStore rows, Telemetry telemetry) {
        EnvelopeFold<Ledger, Event> fold =
                new EnvelopeFold<>(
                        new AimedFold<>(
                                new FailingFold<>(new LedgerFold(spec.instance()), beat), trigger),
                        new LedgerCodec(),
                        Event.FORMAT,
                        new HeaderIds(Event.ID_HEADER),
                        IdLimits.ofCount(WINDOW),
                        MAX_STATE_BYTES);
        StateStore store = new AimedStore(MutantStore.of(spec.mutant(), rows), trigger);
        EnvelopeHandler handler = new IdempotentHandler<>(fold, store, CACHE_BYTES, telemetry);
        if (spec.mutant() == Mutant.COMMIT_ON_FETCH) {
            handler = new HastyHandler(handler);
        }
        return new BeatHandler(handler, beat, trigger);
    }

    private ConsumerSettings settings() {
        ConsumerSettings defaults =
                ConsumerSettings.of(
                        spec.application(), spec.bootstrapServers(), Set.of(spec.topic()));
        Map<String, Object> client = new HashMap<>(spec.client());
        client.put("consumer.group.protocol", spec.protocol());
        if (spec.protocol().equals("classic")) {
            client.putIfAbsent("consumer.session.timeout.ms", 1_500);
            client.put("consumer.heartbeat.interval.ms", 300);
        }
        if (spec.slots() > 0) {
            defaults = defaults.withSlots(new SlotPlan(spec.slots(), 1, SLOT_TIMEOUT));
        }
        return defaults.withClientProperties(client)
                .withLoop(
                        new PollLoop.Limits(
                                32L << 20,
                                defaults.loop().aheadMaxRecords(),
                                Duration.ofMillis(200),
                                defaults.loop().revokeDeadline()));
    }
}
