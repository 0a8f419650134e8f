package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryOutputStore;
import dev.envelope.idempotency.store.InMemorySourceCopies;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The database as one process sees it, over a network and with troubles: slow, down, a reply lost,
 * rows locked by others. What it does, it does in the one database that all share.
 *
 * <p>Threads: one thread.
 */
final class SimStore implements StateStore, Checkpoints {

    private final SimInstance owner;
    private final World world;
    private final int slot; // the first one
    private final InMemoryDatabase database; // that of this slot
    private final Set<Integer> slots;
    private final Division division; // as the process knows it
    private final boolean movesHide;
    private final InMemoryOutputStore outputs;
    private final SimNetwork network;
    private final StateStore states;
    private final Checkpoints checkpoints;

    /**
     * @param slots at one place; what is not of their rows is that of the first one
     * @param movesHide whether a schema has another name once its slot is moved; where it has not,
     *     what is saved there is saved for nobody
     */
    SimStore(SimInstance owner, World world, List<Integer> slots, boolean movesHide) {
        this.movesHide = movesHide;
        this.owner = owner;
        this.world = world;
        this.slot = slots.get(0);
        this.slots = Set.copyOf(slots);
        this.division = owner.division();
        this.database = world.database().slot(slot);
        this.network = new SimNetwork(owner, world, () -> world.troubles().isStoreDown(place()));
        this.outputs = new InMemoryOutputStore(database);
        this.states = states(outputs::numberIn);
        this.checkpoints = new InMemoryCheckpoints(database);
    }

    private StateStore states(ToIntFunction<Incarnation> relay) {
        return new InMemoryStateStore(database, this::ofKey, relay);
    }

    private InMemoryDatabase ofKey(String key) {
        int its = division.slotOf(key);
        if (!slots.contains(its)) {
            world.checks()
                    .fail("place", owner.name() + " has " + key + " of slot " + its + " here");
        }
        return world.database().slot(its);
    }

    int slot() {
        return slot;
    }

    int place() {
        return division.placeOf(slot);
    }

    int homePlace() {
        return division.placeOf(0);
    }

    /** The checkpoint of a source in the first slot. */
    @Nullable NextOffset homeCheckpoint(int source) {
        return world.database().checkpoint(0, source);
    }

    /** The slot itself. */
    InMemoryDatabase database() {
        return database;
    }

    /** Its sources, as the process reaches them. */
    SourceCopies sources() {
        InMemorySourceCopies itself = new InMemorySourceCopies(database);
        return network.reach(
                SourceCopies.class,
                new CheckedCopies(itself, world, slot, () -> requireHere(slot)));
    }

    /** For mutants: the same in whatever life the database is when the request arrives. */
    Map<String, Snapshot> loadNow(Collection<String> keys) {
        return call(() -> states.load(keys, database.incarnation()));
    }

    /** The same of what is beside the rows. */
    <T> T readInAnyLife(BiFunction<StateStore, Incarnation, T> read) {
        return call(() -> read.apply(states, database.incarnation()));
    }

    boolean[] saveInAnyLife(List<Change> changes, Patience patience) {
        return call(() -> saveNow(changes, patience, database.incarnation()));
    }

    Set<Integer> saveInAnyLife(Map<Integer, NextOffset> nextBySource) {
        return call(() -> saveNow(nextBySource, database.incarnation()));
    }

    /** The way to it. */
    SimNetwork network() {
        return network;
    }

    /** The outputs and relays as this process sees them, without the network. */
    InMemoryOutputStore outputs() {
        return outputs;
    }

    SimLog log() {
        return world.log();
    }

    /** One round trip for what is of this slot. */
    <T> T call(Supplier<T> work) {
        return network.call(
                () -> {
                    requireHere(slot);
                    return work.get();
                });
    }

    /** The same for rows of slots at one place. */
    private <T> T call(Stream<String> keys, Supplier<T> work) {
        return network.call(
                () -> {
                    keys.forEach(key -> requireHere(division.slotOf(key)));
                    return work.get();
                });
    }

    /** There is no schema of that name if the slot is moved, or was. */
    private void requireHere(int its) {
        if (movesHide && !isHere(its)) {
            throw new RefusedException("the schema of slot " + its + " does not exist");
        }
    }

    private boolean isHere(int its) {
        return world.database().isHere(its, division.placeOf(its));
    }

    /** Those of its slots that are moved, or were. */
    List<SlotWatch.Away> away() {
        return network.call(
                () ->
                        slots.stream()
                                .sorted()
                                .filter(it -> movesHide && !isHere(it))
                                .map(
                                        it ->
                                                new SlotWatch.Away(
                                                        it,
                                                        "slot " + it + " is moved",
                                                        world.database().isMoving(it)
                                                                ? SlotWatch.Reason.MOVES
                                                                : SlotWatch.Reason.ELSEWHERE))
                                .toList());
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return call(keys.stream(), () -> loadNow(keys, incarnation));
    }

    private Map<String, Snapshot> loadNow(Collection<String> keys, Incarnation incarnation) {
        world.rowFaults().read();
        world.locks().read();
        return states.load(keys, incarnation);
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        return call(timers.stream().map(TimerId::key), () -> states.dueTimers(timers, incarnation));
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return call(() -> states.waiting(rowIds, incarnation));
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        return call(
                commands.stream().map(CommandId::key),
                () -> states.appliedCommands(commands, incarnation));
    }

    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        return call(
                changes.stream().map(Change::key), () -> saveNow(changes, patience, incarnation));
    }

    private boolean[] saveNow(List<Change> changes, Patience patience, Incarnation incarnation) {
        if (!changes.stream().allMatch(it -> isHere(division.slotOf(it.key())))) {
            boolean[] forNobody = new boolean[changes.size()];
            Arrays.fill(forNobody, true);
            return forNobody;
        }
        world.checks().locks().saving(owner, patience);
        world.rowFaults().save(patience);
        List<Integer> free = world.locks().take(changes, patience);
        List<Change> some = free.stream().map(changes::get).toList();
        world.rowFaults().check(some);
        if (world.faults().happens(Fault.CUT_BEFORE_COMMIT)) {
            int relay = outputs.numberIn(incarnation);
            StateStore then = states(life -> relay);
            world.inFlight().leave(some, () -> land(then, some, Patience.ALONE, incarnation));
            throw new UnavailableException("connection reset");
        }
        boolean[] won = land(states, some, patience, incarnation);
        boolean[] saved = new boolean[changes.size()];
        for (int i = 0; i < won.length; i++) {
            saved[free.get(i)] = won[i];
        }
        return saved;
    }

    /**
     * The transaction that a save is, with all of its changes: {@code PostgresStateStore.save()}
     * commits once, however many statements it takes.
     *
     * @param store another one if the process does not wait for it any more
     */
    private boolean[] land(
            StateStore store, List<Change> changes, Patience patience, Incarnation incarnation) {
        List<@Nullable Snapshot> before = rows(changes);
        world.checks().timers().saving(changes.stream().map(Change::key).toList());
        boolean[] won = store.save(changes, patience, incarnation);
        List<@Nullable Snapshot> after = rows(changes);
        world.checks().drains().saving(patience);
        for (int i = 0; i < won.length; i++) {
            Change change = changes.get(i);
            Snapshot row = after.get(i);
            if (won[i]) {
                world.checks().rows().parked(change.parked());
                world.checks().rows().deadLettered(change.deadLetters());
                world.checks().outbox().saved(owner, change, store != states);
                world.checks().outputs().saved(change.key(), change.outputs());
                if (store == states) {
                    world.checks().outputs().savedInTurn(owner, change.outputs());
                }
            }
            int most = owner.tuning().setAside().perKey();
            if (won[i] && row != null && !change.parked().isEmpty() && row.parked() > most) {
                world.checks()
                        .fail("limit", owner.name() + " parks more than " + most + ": " + row);
            }
            if (won[i] && row != null) {
                world.checks().rows().saved(owner, before.get(i), row, change);
            } else if (!won[i]) {
                world.faults().counts().conflicts(1);
            }
        }
        return won;
    }

    /** The very objects: the checks tell rows apart by identity. */
    private List<@Nullable Snapshot> rows(List<Change> changes) {
        List<@Nullable Snapshot> rows = new ArrayList<>();
        changes.forEach(it -> rows.add(it.isWithoutRow() ? null : world.database().row(it.key())));
        return rows;
    }

    @Override
    public Pauses pauses() {
        return call(checkpoints::pauses);
    }

    @Override
    public Bearings read(Set<String> topics) {
        return call(() -> checkpoints.read(topics));
    }

    @Override
    public Bearings introduce(Collection<NewSource> sources) {
        return call(() -> checkpoints.introduce(sources));
    }

    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        return call(() -> checkpoints.adopt(topic, former, present));
    }

    @Override
    public void skip(int source, List<Skip> skips, Incarnation incarnation) {
        call(
                () -> {
                    checkpoints.skip(source, skips, incarnation);
                    return true;
                });
    }

    @Override
    public Map<Integer, String> stopped() {
        return call(() -> world.books().stopped());
    }

    @Override
    public void settle(int source) {
        call(
                () -> {
                    checkpoints.settle(source);
                    return true;
                });
    }

    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        return call(() -> saveNow(nextBySource, incarnation));
    }

    private Set<Integer> saveNow(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        if (!isHere(slot)) {
            return nextBySource.keySet();
        }
        Set<Integer> saved = checkpoints.save(nextBySource, incarnation);
        database.sources().stream()
                .filter(source -> nextBySource.containsKey(source.number()))
                .forEach(source -> check(source, nextBySource));
        return saved;
    }

    private void check(Source source, Map<Integer, NextOffset> nextBySource) {
        NextOffset next = nextBySource.get(source.number());
        if (next != null) {
            world.checks().progress().checkpointed(owner, slot, source, next);
        }
    }

    @Override
    public Incarnation incarnation() {
        return network.call(checkpoints::incarnation);
    }
}
