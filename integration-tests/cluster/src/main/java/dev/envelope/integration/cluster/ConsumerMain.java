package dev.envelope.integration.cluster;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.Division;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.DividedHandler;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.timer.SavedEffects;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.Event;
import dev.envelope.integration.oracle.Ledger;
import dev.envelope.integration.oracle.LedgerCodec;
import dev.envelope.integration.oracle.LedgerFold;
import dev.envelope.integration.oracle.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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

    /** The settings of each slot's store, which its schema is made with as well. */
    static List<PostgresSettings> storeSettings(ConsumerSpec spec) {
        return spec.schemas().stream().map(slot -> storeSettings(spec, slot)).toList();
    }

    private static PostgresSettings storeSettings(ConsumerSpec spec, Schema slot) {
        String password = slot.database().password();
        return new PostgresSettings(
                slot.database().url(),
                new PostgresSettings.Login(slot.database().user(), password::toCharArray),
                slot.name(),
                spec.application(),
                spec.instance(),
                3,
                PostgresSettings.Timeouts.DEFAULT);
    }

    private void run() throws InterruptedException {
        Telemetry telemetry = new BeatTelemetry(beat);
        DividedStore store = store();
        ConsumerSettings settings = settings();
        @Nullable SlotPlan plan = settings.slots();
        @Nullable SlotLocks slots =
                plan == null
                        ? null
                        : new SlotLocks(store.home().slots(plan.timeout()), plan, System::nanoTime);
        EnvelopeConsumer consumer =
                new EnvelopeConsumer(
                        settings,
                        handler(store, telemetry),
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

    private void close(EnvelopeConsumer consumer, @Nullable Recurring holding, DividedStore store) {
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

    private DividedStore store() {
        List<PostgresSettings> slots = storeSettings(spec);
        Division division = spec.division();
        if (slots.size() == 1) {
            return DividedStore.of(PostgresStore.open(slots.get(0)));
        }
        List<Place> places = new ArrayList<>();
        for (int place = 0; place < spec.places().size(); place++) {
            SortedMap<Integer, PostgresSettings> its = new TreeMap<>();
            division.slotsAt(place).forEach(slot -> its.put(slot, slots.get(slot)));
            places.add(PostgresStore.openPlace("place-" + place, division, its, spec.instance()));
        }
        return new DividedStore(division, places, System::nanoTime);
    }

    private EnvelopeHandler handler(DividedStore store, Telemetry telemetry) {
        return DividedHandler.of(
                store.division(),
                store.shelves().stream().map(shelf -> handler(shelf, telemetry)).toList());
    }

    private EnvelopeHandler handler(DividedStore.Shelf shelf, Telemetry telemetry) {
        EnvelopeFold<Ledger, Event> fold =
                new EnvelopeFold<>(
                        new AimedFold<>(
                                new FailingFold<>(new LedgerFold(spec.instance()), beat), trigger),
                        new LedgerCodec(),
                        Event.FORMAT,
                        new HeaderIds(Event.ID_HEADER),
                        IdLimits.ofCount(WINDOW),
                        MAX_STATE_BYTES);
        StateStore rows = new AimedStore(MutantStore.of(spec.mutant(), shelf.states()), trigger);
        EnvelopeHandler handler =
                new IdempotentHandler<>(
                        fold,
                        rows,
                        new SnapshotCache<>(CACHE_BYTES),
                        telemetry,
                        new IdempotentHandler.Bounds(
                                OutboxRoom.endless(),
                                CrashStore.NONE,
                                SetAsideLimits.none(),
                                SavedEffects.NONE,
                                List::of,
                                shelf.admission()),
                        null);
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
        return defaults.withDivision(spec.division())
                .withClientProperties(client)
                .withLoop(
                        new PollLoop.Limits(
                                32L << 20,
                                defaults.loop().aheadMaxRecords(),
                                Duration.ofMillis(200),
                                defaults.loop().revokeDeadline()));
    }
}
