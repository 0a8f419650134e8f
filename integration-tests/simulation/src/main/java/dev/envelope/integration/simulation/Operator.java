package dev.envelope.integration.simulation;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.PositionPolicy.TopicRecreated;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.parked.ParkedStore.Parked;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who looks after things: mends what has stopped a partition, as its reason says, and asks for
 * parked keys to go on.
 *
 * <p>Threads: one thread.
 */
final class Operator {

    /** What a message fails with that was written where others had been applied. */
    static final String REWRITTEN = "RewrittenLogException";

    private static final int MOST_AT_ONCE = 20;

    private final World world;
    private final List<InMemoryParkedStore> stores; // of the slots

    Operator(World world) {
        this.world = world;
        this.stores = world.database().parkedStores("operator", world.scheduler()::now);
    }

    void look() {
        seeToParked();
        for (SimInstance process : world.processes().alive()) {
            for (PartitionStatus stopped : process.stopped()) {
                seeTo(process, stopped);
            }
        }
    }

    private void seeTo(SimInstance process, PartitionStatus stopped) {
        String reason = stopped.pausedBecause();
        if (isBeyondHelp(reason) || !world.isPresent(stopped.partition())) {
            return;
        }
        world.faults().landed(Fault.STOPPED);
        if (reason.contains("has waited for")) {
            world.faults().landed(Fault.IMPATIENT);
            if (reason.contains("another version of the handler")) {
                world.versions().forward();
            } else if (world.random().nextBoolean()) {
                world.registry().mend();
            }
        } else if (reason.contains("Nobody can tell whether it is the key's fault")) {
            world.faults().landed(Fault.IMPATIENT);
            world.registry().mend();
        } else if (reason.contains("envelope partitions resume")) {
            world.books().resume(stopped.partition());
            if (!world.faults().areOver() && world.random().nextInt(4) > 0) {
                return; // whoever has it sees that, and so does who gets it
            }
            world.liftLimits();
        } else if (reason.contains("can't read")) {
            world.mend(stopped.partition());
        } else if (reason.contains("on.gap=earliest")) {
            world.losses().acceptGaps();
            world.change(world.settings().with(Gap.EARLIEST));
        } else if (reason.contains("on.offset.ahead=follow")) {
            decideAhead();
        } else if (reason.contains("on.topic.recreated=continue")) {
            world.change(world.settings().with(TopicRecreated.CONTINUE));
        } else if (reason.contains("on.log.truncated=continue")) {
            world.change(world.settings().with(LogTruncated.CONTINUE));
        } else if (reason.contains("is committed past it")) {
            world.mendHandler();
            world.change(world.settings().with(FailurePolicy.Last.PARK));
        }
        world.processes().restart(process);
    }

    private void decideAhead() {
        if (world.random().nextBoolean()) {
            world.losses().acceptJumps();
            world.change(world.settings().with(OffsetAhead.FOLLOW));
        } else {
            world.change(world.settings().with(OffsetAhead.REWIND));
        }
    }

    /** What nobody has a command for: such a partition stays where it is. */
    static boolean isBeyondHelp(String reason) {
        return reason.contains("move the checkpoint by hand") || reason.contains(REWRITTEN);
    }

    /** Asks for something for each key that has parked messages, if nothing is asked for yet. */
    private void seeToParked() {
        if (!open().isEmpty()) {
            return;
        }
        TreeSet<String> keys = new TreeSet<>();
        for (ParkedMessage message : world.database().parked()) {
            if (message.rowKey() != null && keys.size() < MOST_AT_ONCE) {
                keys.add(message.rowKey());
            }
        }
        for (String key : keys) {
            world.faults().landed(Fault.PARKED);
            ask(key, store(key).first(key, 1).get(0));
        }
    }

    private InMemoryParkedStore store(String key) {
        return stores.get(world.division().slots().slotOf(key));
    }

    private List<Request> open() {
        return stores.stream().flatMap(store -> store.open().stream()).toList();
    }

    private void ask(String key, Parked first) {
        InMemoryParkedStore store = store(key);
        byte[] value = first.message().value();
        boolean isDeadly =
                store.first(key, Integer.MAX_VALUE).stream()
                        .anyMatch(it -> SimRecord.isDeadly(it.message().value()));
        if (SimRecord.isMalformed(value)) {
            skip(key, first);
        } else if (isDeadly && !world.isHandlerReplaced()) {
            if (world.random().nextBoolean()) {
                world.mendHandler();
            } else {
                drop(key);
            }
        } else if (!needsMending(value) || world.isHandlerMended()) {
            store.ask(key, Action.REDRIVE, null);
        } else {
            switch (world.random().nextInt(4)) {
                case 0 -> store.ask(key, Action.REDRIVE, null); // it fails again
                case 1 -> world.mendHandler();
                case 2 -> skip(key, first);
                default -> drop(key);
            }
        }
    }

    private static boolean needsMending(byte @Nullable [] value) {
        return SimRecord.isPoison(value) || SimRecord.isRefused(value);
    }

    private void skip(String key, Parked first) {
        world.losses().letGo(Trace.place(first.message()));
        store(key).ask(key, Action.SKIP, first.position());
    }

    /** What comes behind before it is carried out stays parked. */
    private void drop(String key) {
        List<Parked> all = store(key).first(key, Integer.MAX_VALUE);
        all.forEach(it -> world.losses().letGo(Trace.place(it.message())));
        store(key).ask(key, Action.DROP, all.get(all.size() - 1).position());
    }

    /** The database has gone back, and with it what was asked for. */
    void lookAgain() {
        world.checks().repairs().lookAgain(open());
    }

    /** Whether all that was asked for is done, and no key has parked messages any more. */
    boolean isContent() {
        return open().isEmpty()
                && world.database().parked().stream().allMatch(it -> it.rowKey() == null);
    }
}
