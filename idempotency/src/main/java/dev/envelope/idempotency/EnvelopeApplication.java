package dev.envelope.idempotency;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.limit.FrozenLog;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.PlaceStatus;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.table.TableSource;
import dev.envelope.idempotency.timer.SavedEffects;
import dev.envelope.idempotency.timer.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A whole application: a consumer whose handler keeps its rows in a store, and the loops beside it:
 * the relay of dead letters, operators' requests, the purge of deleted keys' rows.
 *
 * <p>Threads: thread-safe; each loop has a thread of its own.
 */
public final class EnvelopeApplication implements Application {

    private static final Duration DEFAULT_DRAIN = Duration.ofSeconds(20);

    /**
     * Limits on memory, on what is set aside, and on how long rows are kept.
     *
     * @param cacheBytes size of the snapshot cache
     * @param setAside how much may be set aside before a partition stops instead
     * @param outbox how many dead letters may wait for delivery
     * @param outputs how many outputs may wait for delivery
     * @param timersPerSecond how many timers may fire in a second, when many are overdue
     */
    public record Limits(
            long cacheBytes,
            SetAsideLimits.Bounds setAside,
            OutboxRoom.Limits outbox,
            OutputRoom.Limits outputs,
            int timersPerSecond,
            Retention retention) {

        /** The defaults. */
        public static final Limits DEFAULT =
                new Limits(
                        64L << 20,
                        new SetAsideLimits.Bounds(10_000, 100_000, 50, 100),
                        new OutboxRoom.Limits(100_000, Duration.ofMinutes(10)),
                        new OutputRoom.Limits(100_000, 256L << 20),
                        5_000,
                        new Retention(
                                Duration.ofDays(30), Duration.ofDays(400), Duration.ofDays(1)));
    }

    /**
     * The parts of an application. Start from {@link #of} and replace what should differ.
     *
     * @param store whose rows are divided as the engine's settings say
     * @param deliveries where records go, for each slot; closed by the application
     * @param around wraps the handler, for callers that observe the envelopes
     */
    public record Parts(
            ConsumerSettings engine,
            EnvelopeFold<?, ?> fold,
            DividedStore store,
            Supplier<Deliveries> deliveries,
            Limits limits,
            Telemetry telemetry,
            UnaryOperator<EnvelopeHandler> around) {

        /** With all defaults; dead letters go to the brokers that are read from. */
        public static Parts of(ConsumerSettings engine, EnvelopeFold<?, ?> fold, Store store) {
            return new Parts(
                    engine,
                    fold,
                    DividedStore.of(store),
                    () -> Deliveries.toTheBrokersOf(engine),
                    Limits.DEFAULT,
                    Telemetry.NONE,
                    UnaryOperator.identity());
        }

        /** These parts with another size of the snapshot cache. */
        public Parts withCache(long bytes) {
            Limits others =
                    new Limits(
                            bytes,
                            limits.setAside(),
                            limits.outbox(),
                            limits.outputs(),
                            limits.timersPerSecond(),
                            limits.retention());
            return new Parts(engine, fold, store, deliveries, others, telemetry, around);
        }

        /** These parts with another telemetry. */
        public Parts with(Telemetry other) {
            return new Parts(engine, fold, store, deliveries, limits, other, around);
        }
    }

    private final Parts parts;
    private final EnvelopeConsumer consumer;
    private final SnapshotCache<?> cache;
    private final Loops.Tasks tasks;
    private final @Nullable SlotLocks slots; // null if the group decides
    private volatile @Nullable TableSource table; // null if topics are read
    private final ExecutorService waiter; // a thread for each place
    private volatile @Nullable Loops loops; // null until started
    private volatile Consumer<CommandId> answers = command -> {};

    /**
     * Wires the parts; nothing runs before {@link #start}.
     *
     * @throws KafkaException if a client property is wrong
     */
    public EnvelopeApplication(Parts parts) {
        this(parts, parts.fold());
    }

    private <S> EnvelopeApplication(Parts parts, EnvelopeFold<S, ?> fold) {
        requireFits(parts);
        this.parts = parts;
        DividedStore all = parts.store();
        Store store = all.home();
        Limits limits = parts.limits();
        waiter =
                Executors.newFixedThreadPool(
                        all.shelves().size(), EnvelopeApplication::waiterThread);
        OutboxRoom room = new OutboxRoom(limits.outbox());
        OutputRoom outputRoom = new OutputRoom(limits.outputs(), this::wakeOutputs);
        FrozenLog frozenLog = new FrozenLog(System::nanoTime);
        Outgoing.Common ofAllSlots =
                new Outgoing.Common(
                        parts.engine().applicationId(),
                        room,
                        outputRoom,
                        this::partitions,
                        limits.timersPerSecond(),
                        System::nanoTime,
                        InstantSource.system(),
                        new SplittableRandom());
        List<Outgoing> outgoing =
                all.slots().stream()
                        .map(slot -> Outgoing.of(slot, parts.deliveries().get(), ofAllSlots))
                        .toList();
        SavedEffects effects =
                new SavedEffects(
                        outputRoom,
                        set -> outgoing.forEach(slot -> slot.timers().set(set)),
                        command -> answers.accept(command));
        SnapshotCache<S> rows =
                new SnapshotCache<>(
                        limits.cacheBytes(),
                        limits.retention().deletedKeys().dividedBy(2),
                        System::nanoTime);
        List<IdempotentHandler<S>> handlers =
                all.shelves().stream()
                        .map(
                                shelf ->
                                        new IdempotentHandler<>(
                                                fold,
                                                shelf.states(),
                                                rows,
                                                parts.telemetry(),
                                                new IdempotentHandler.Bounds(
                                                        room,
                                                        shelf.crashes(),
                                                        new SetAsideLimits(
                                                                limits.setAside(),
                                                                shelf.stops(),
                                                                frozenLog),
                                                        effects,
                                                        shelf::replacements,
                                                        shelf.admission()),
                                                waiter))
                        .toList();
        EnvelopeHandler handler = DividedHandler.of(all.division(), handlers);
        cache = rows;
        @Nullable SlotPlan plan = parts.engine().slots();
        slots =
                plan == null
                        ? null
                        : new SlotLocks(store.slots(plan.timeout()), plan, System::nanoTime);
        consumer =
                new EnvelopeConsumer(
                        parts.engine(),
                        parts.around().apply(handler),
                        all.checkpoints(),
                        parts.telemetry(),
                        store.table()
                                .map(it -> reading(it, slots, outgoing.get(0).hasBroker()))
                                .orElseGet(
                                        () -> new EnvelopeConsumer.Reading(parts.engine(), slots)));
        List<Loops.AtPlace> atPlaces =
                all.shelves().stream()
                        .map(
                                shelf ->
                                        Loops.AtPlace.of(
                                                parts,
                                                fold,
                                                shelf,
                                                shelf.slots().keySet().stream()
                                                        .map(outgoing::get)
                                                        .toList(),
                                                effects,
                                                this::partitions,
                                                System::nanoTime))
                        .toList();
        tasks = new Loops.Tasks(atPlaces, all.moves(), frozenLog, table, System::nanoTime);
    }

    private static void requireFits(Parts parts) {
        if (!parts.engine().division().equals(parts.store().division())) {
            throw new IllegalArgumentException(
                    "the rows are divided otherwise than the engine takes them to be");
        }
    }

    private EnvelopeConsumer.Reading reading(
            TableStore store, @Nullable SlotLocks held, boolean hasBroker) {
        if (held == null || !parts.engine().topics().equals(Set.of(store.settings().source()))) {
            throw new IllegalArgumentException(
                    "a table is read alone, and slots divide it: give the engine "
                            + store.settings().source()
                            + " as its only topic, and slots");
        }
        if (parts.store().division().places() > 1) {
            throw new IllegalArgumentException(
                    "a row of a table is done in the transaction of its effect: all slots have to be"
                            + " in the table's database");
        }
        if (parts.fold().setsTimers()) {
            throw new IllegalArgumentException(
                    "what comes from a table can't set timers: they fire into a topic that is read");
        }
        boolean letters = parts.engine().failures().last() == FailurePolicy.Last.DEAD_LETTER;
        if ((parts.fold().emits() || letters) && !hasBroker) {
            throw new IllegalArgumentException(
                    "without a broker nothing of a table can be emitted or become a dead letter");
        }
        return new EnvelopeConsumer.Reading(
                environment -> {
                    TableSource source =
                            new TableSource(
                                    store, held.most(), () -> held.held().count(), environment);
                    table = source;
                    return source;
                },
                held);
    }

    /** Called by workers, for each save with outputs. */
    private void wakeOutputs() {
        Loops running = loops;
        if (running != null) {
            running.wakeOutputs();
        }
    }

    private Stream<Outgoing> outgoing() {
        return tasks.atPlaces().stream().flatMap(place -> place.outgoing().stream());
    }

    private Set<TopicPartition> partitions() {
        return consumer.status().partitions().stream()
                .map(PartitionStatus::partition)
                .collect(Collectors.toSet());
    }

    private static Thread waiterThread(Runnable work) {
        Thread thread = new Thread(work, "envelope-locked-rows");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void start() {
        consumer.start();
        loops = Loops.start(parts, tasks, slots);
    }

    @Override
    public EnvelopeConsumer consumer() {
        return consumer;
    }

    /** Calls the listener at every change of the consumer's state from now on. */
    public void onStateChange(Consumer<EnvelopeConsumer.State> listener) {
        consumer.onStateChange(listener);
    }

    /**
     * Tells the listener of each command that this process has saved an answer to, from now on.
     * Workers call it: it must return at once.
     */
    public void onAnswer(Consumer<CommandId> listener) {
        answers = listener;
    }

    /** The snapshot cache. */
    public SnapshotCache<?> cache() {
        return cache;
    }

    @Override
    public OutboxStatus outbox() {
        return outgoing()
                .map(it -> it.relay().status())
                .reduce(OutboxStatus.EMPTY, OutboxStatus::and);
    }

    @Override
    public OutputStatus outputs() {
        return outgoing()
                .map(it -> it.outputs().status())
                .reduce(OutputStatus.NOTHING, OutputStatus::and);
    }

    /** The timers that this process has fired. */
    public Timers.Status timers() {
        return outgoing()
                .map(it -> it.timers().status())
                .reduce(Timers.Status.NONE, Timers.Status::and);
    }

    @Override
    public Optional<SlotLocks.Seen> slots() {
        return Optional.ofNullable(slots).map(SlotLocks::seen);
    }

    @Override
    public List<FrozenKeys> frozen() {
        return tasks.atPlaces().stream().flatMap(place -> place.frozenKeys().stream()).toList();
    }

    @Override
    public List<PlaceStatus> places() {
        return parts.store().seen();
    }

    @Override
    public List<Recurring.Status> loops() {
        Loops running = loops;
        return running == null ? List.of() : running.status();
    }

    @Override
    public void close() {
        close(DEFAULT_DRAIN);
    }

    /** The same, with another time to save what was fetched. The store stays open. */
    @Override
    public boolean close(Duration drainTime) {
        Loops running = loops;
        if (running == null) {
            outgoing().forEach(Outgoing::closeUnused);
            waiter.shutdownNow();
            return consumer.close(drainTime);
        }
        running.stopFirst();
        try {
            return consumer.close(drainTime);
        } finally {
            running.close();
            waiter.shutdownNow();
        }
    }
}
