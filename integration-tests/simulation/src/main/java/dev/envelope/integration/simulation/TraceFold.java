package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The handler of the simulation: it appends the place of each message to the state. It may be slow,
 * and it may throw, but only after having changed the state.
 *
 * <p>Threads: one thread.
 */
final class TraceFold implements Fold<Trace, String> {

    private static final int POISON_AT = 1; // behind the v

    private final SimInstance owner;
    private final World world;

    TraceFold(SimInstance owner, World world) {
        this.owner = owner;
        this.world = world;
    }

    @Override
    public @Nullable Trace apply(@Nullable Trace state, @Nullable String value, Message message) {
        world.checks().folds().begins(owner, message);
        long begun = world.scheduler().now();
        boolean hasThrown = true;
        try {
            Trace folded = fold(state, value, message);
            hasThrown = false;
            return folded;
        } finally {
            if (!owner.isDead() && (hasThrown || hasTakenTooLong(begun))) {
                world.checks().folds().failed(message);
            }
            world.checks().folds().ends(owner, message);
        }
    }

    private @Nullable Trace fold(@Nullable Trace state, @Nullable String value, Message message) {
        Trace next = value == null || state != null ? state : new Trace(new ArrayList<>());
        if (next != null && owner.version() == HandlerVersion.NEW) {
            next.mark();
        }
        if (next != null) {
            next.add(Trace.place(message));
        }
        if (SimRecord.isRefused(message.value())) {
            world.rowFaults().folded(Trace.place(message));
        }
        takeTime();
        if (value != null && isDeadlyNow(message)) {
            die(message);
        }
        if (world.faults().happens(Fault.FOLD_THROWS)) {
            throw new IllegalStateException("not today");
        }
        if (world.faults().happens(Fault.FOLD_ERROR)) {
            throw world.random().nextBoolean()
                    ? new StackOverflowError()
                    : new NoClassDefFoundError("com/example/Forgotten");
        }
        if (value != null && SimRecord.isPoison(message.value()) && !world.isHandlerMended()) {
            throw new IllegalStateException("this handler can't do " + value.substring(POISON_AT));
        }
        return value == null ? null : next;
    }

    /** A request that a process ends with is another's after a minute only. */
    private boolean isDeadlyNow(Message message) {
        return SimRecord.isDeadly(message.value())
                && !world.isHandlerReplaced()
                && !(owner.isRedriving() && world.faults().areOver());
    }

    /** With a word or, while things go wrong, perhaps without. */
    private void die(Message message) {
        if (!world.faults().areOver() && world.random().nextInt(3) == 0) {
            world.processes().kill(owner);
            owner.gate();
        }
        world.books().diesOf(message);
        throw new OutOfMemoryError("in a simulated fold");
    }

    private void takeTime() {
        if (world.random().nextInt(world.foldsPerPause()) == 0) {
            world.scheduler().block(world.random().nextInt(world.longestPauseNanos()));
            owner.gate();
        }
        if (world.faults().happens(Fault.FOLD_SLOW)) {
            world.scheduler().block(100_000_000L + world.random().nextInt(1_500_000_000));
            owner.gate();
        }
        if (world.faults().happens(Fault.FOLD_HANGS)) {
            hang();
        }
    }

    /** Seconds; half of them end with an interrupt. */
    private void hang() {
        long begun = world.scheduler().now();
        long interrupts = owner.interrupts();
        boolean heeds = world.random().nextBoolean();
        world.scheduler()
                .runUntil(
                        begun + 500_000_000L + world.random().nextLong(9_000_000_000L),
                        () -> heeds && owner.interrupts() > interrupts && hasTakenTooLong(begun));
        owner.gate();
    }

    private boolean hasTakenTooLong(long begun) {
        return world.scheduler().now() - begun > owner.tuning().turns().handlerTimeout().toNanos();
    }
}
