package dev.envelope.integration.simulation;

import dev.envelope.core.Engine;
import dev.envelope.core.api.Environment;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * One process around the production engine. Its poll thread and its workers are events; it can be
 * killed, frozen, kept from polling, and closed.
 *
 * <p>Threads: one thread.
 */
abstract class SimProcess {

    /** Each turn calls two workers: one that is repeated without end soon calls very many. */
    private static final int MOST_EVENTS = 100_000;

    private final String name;
    private final Scene scene;
    private long interrupts;
    private long lastBeat = Long.MIN_VALUE;
    private int busy;
    private int underWay;
    private boolean isPolling;
    private boolean isOnPollThread; // what goes on innermost, as is the next
    private boolean isRedriving;
    private boolean isDead;
    private boolean isClosing;
    private boolean isUnparked;
    private boolean hasClosedConsumer; // and with it the workers
    private long frozenUntil;
    private long pollsNotBefore;

    SimProcess(String name, Scene scene) {
        this.name = name;
        this.scene = scene;
    }

    abstract Engine engine();

    abstract Consumer<?, ?> client();

    /** A promise is broken. */
    abstract void failed(String anomaly, String seen);

    /** Memory has run out in it. */
    abstract void ranOutOfMemory();

    /** It is dead from now on. */
    void ended() {}

    /** Its poll thread has gone once round. */
    void turned(EngineStatus status) {}

    /** Its watchdog looks. */
    void looked() {}

    /** It has left the group in good order. */
    void left() {}

    /** Its poll thread and its watchdog begin. */
    final void begin() {
        lastBeat = engine().loop().status().beatNanos();
        later(0, this::poll);
        later(Tuning.TURN_TIME.toNanos() / 2, this::watch);
    }

    final Environment environment() {
        RandomGenerator random = scene.random();
        return new Environment(
                scene.scheduler()::now,
                (delay, task) -> later(delay.toNanos(), task),
                task -> later(10_000L + random.nextInt(500_000), task),
                task -> later(10_000L + random.nextInt(500_000), task),
                new SimParker(),
                random);
    }

    /** Calls a worker for each shard that becomes ready. */
    final ReadyShards called(ReadyShards all) {
        return shard -> {
            all.ready(shard);
            callWorker();
        };
    }

    final void later(long nanos, Runnable task) {
        scene.scheduler().after(nanos, () -> guarded(task));
    }

    /** Runs something of this process, if it still lives, and lets it die in it. */
    private void guarded(Runnable task) {
        if (isDead) {
            return;
        }
        long now = scene.scheduler().now();
        if (now < frozenUntil) {
            scene.scheduler().after(frozenUntil - now, () -> guarded(task));
            return;
        }
        underWay++;
        boolean wasOnPollThread = isOnPollThread;
        boolean wasRedriving = isRedriving;
        isOnPollThread = false;
        isRedriving = false;
        try {
            task.run();
        } catch (ProcessKilled e) {
            end();
        } catch (OutOfMemoryError e) {
            ranOutOfMemory();
        } finally {
            underWay--;
            isOnPollThread = wasOnPollThread;
            isRedriving = wasRedriving;
        }
    }

    final void end() {
        isDead = true;
        ended();
    }

    private void poll() {
        long now = scene.scheduler().now();
        if (isPolling || now < pollsNotBefore) {
            later(Math.max(pollsNotBefore - now, 1_000_000), this::poll);
            return;
        }
        isPolling = true;
        isOnPollThread = true;
        boolean goesOn = engine().loop().turn();
        isOnPollThread = false;
        isPolling = false;
        EngineStatus status = engine().loop().status();
        if (status.beatNanos() != lastBeat) {
            lastBeat = status.beatNanos();
            turned(status);
        }
        if (goesOn) {
            later(500_000L + scene.random().nextInt(20_000_000), this::poll);
        } else {
            client().close(CloseOptions.timeout(Duration.ofSeconds(1)));
            hasClosedConsumer = true;
            left();
        }
    }

    private void callWorker() {
        if (scene.scheduler().waiting() > MOST_EVENTS) {
            failed("spin", name + " takes turn after turn and gets nothing done");
        }
        if (busy < allowed()) {
            later(5_000L + scene.random().nextInt(300_000), this::work);
        }
    }

    /** One for each that is stuck, up to as many again. */
    private int allowed() {
        int wanted = engine().pool().size();
        return wanted + Math.min(engine().pool().stuck(), wanted);
    }

    private void work() {
        if (hasClosedConsumer || busy >= allowed()) {
            return;
        }
        busy++;
        boolean didSomething;
        try {
            didSomething = engine().pool().turn();
        } finally {
            busy--;
        }
        if (didSomething) {
            callWorker();
        }
    }

    private void watch() {
        engine().pool().watch();
        looked();
        interrupts += Thread.interrupted() ? 1 : 0; // of the one thread, whomever it was meant for
        later(Tuning.TURN_TIME.toNanos() / 2, this::watch);
    }

    /** Where the process dies or stands still, if it is to: whatever blocks goes through here. */
    final void gate() {
        standStill();
        if (isDead) {
            throw new ProcessKilled();
        }
    }

    /** Waits until the process is no longer frozen, or is killed. */
    final void standStill() {
        if (!isDead && scene.scheduler().now() < frozenUntil) {
            scene.scheduler().runUntil(frozenUntil, () -> isDead);
        }
    }

    final void kill() {
        end();
    }

    final void freeze(long nanos) {
        frozenUntil = scene.scheduler().now() + nanos;
    }

    final void stopPolling(long nanos) {
        pollsNotBefore = scene.scheduler().now() + nanos;
    }

    /** False if it is about to end already. */
    final boolean close() {
        boolean isFirst = !isClosing && !isDead;
        isClosing = true;
        engine().loop().close(Duration.ofSeconds(5));
        return isFirst;
    }

    final boolean isDead() {
        return isDead;
    }

    /** What goes on now is done for a request of an operator. */
    final void redrives() {
        isRedriving = true;
    }

    /** Whether what asks is done for a request of an operator. */
    final boolean isRedriving() {
        return isRedriving;
    }

    /** Whether what asks is done by the thread that polls, which must not wait for others. */
    final boolean isOnPollThread() {
        return isOnPollThread;
    }

    final String name() {
        return name;
    }

    /** How often one of its folds was interrupted. */
    final long interrupts() {
        return interrupts;
    }

    /** How all partitions of it stand. */
    final List<PartitionStatus> partitions() {
        return isDead ? List.of() : engine().loop().status().partitions();
    }

    /** Whether it has anything in its hands that may become durable yet. */
    final boolean isAtWork() {
        return !isDead || underWay > 0;
    }

    @Override
    public String toString() {
        return name + engine().loop().status().partitions();
    }

    /** The poll thread waits in a callback: others go on until something is posted to it. */
    private final class SimParker implements Environment.Parker {

        @Override
        public void park(long nanos) {
            gate();
            isUnparked = false;
            scene.scheduler().runUntil(scene.scheduler().now() + nanos, () -> isUnparked);
            gate();
        }

        @Override
        public void unpark() {
            isUnparked = true;
        }
    }
}
